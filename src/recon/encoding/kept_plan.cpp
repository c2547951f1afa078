#include "recon/encoding/kept_plan.hpp"

#include <algorithm>
#include <utility>

#include "op/nufft_design.hpp"

namespace whorl {

KeptPlans::KeptPlans() : plan_(std::make_unique<Plan>()) {}
KeptPlans::~KeptPlans() = default;

bool KeptPlans::Plan::is_for(const Key& other) const {
  if (transform == nullptr || key.image != other.image || key.coils != other.coils ||
      !are_equal(key.nufft, other.nufft) || key.exact != other.exact || key.device != other.device) {
    return false;
  }
  if (key.trajectory == other.trajectory) return true;
  const auto& kept = key.trajectory->points;
  const auto& wanted = other.trajectory->points;
  return kept.shape() == wanted.shape() && std::equal(kept.data(), kept.data() + kept.size(), wanted.data());
}

std::shared_ptr<const recon::CoilTransform> KeptPlans::Plan::take(const Key& other) {
  if (is_for(other)) {
    key.trajectory = other.trajectory;
  } else {
    release();
  }
  return transform;
}

void KeptPlans::Plan::keep(Key of, std::shared_ptr<const recon::CoilTransform> made) {
  key = std::move(of);
  transform = std::move(made);
}

void KeptPlans::Plan::release() { keep({}, nullptr); }

SliceMaps* recon::kept_maps(const ReconOptions& options) {
  if (options.coil_maps != CoilMapMethod::file || options.resources.plans == nullptr) return nullptr;
  std::optional<SliceMaps>& maps = options.resources.plans->plan().maps;
  return maps ? &*maps : nullptr;
}

}  // namespace whorl

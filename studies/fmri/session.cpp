#include "studies/fmri/session.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace whorl::studies::fmri {

namespace {

double ms_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

bool is_near_active(const View<const float, 3>& active, Index z, Index y, Index x) {
  for (Index k = std::max<Index>(0, z - 1); k <= std::min(z + 1, active.extent(0) - 1); ++k) {
    for (Index j = std::max<Index>(0, y - 1); j <= std::min(y + 1, active.extent(1) - 1); ++j) {
      for (Index i = std::max<Index>(0, x - 1); i <= std::min(x + 1, active.extent(2) - 1); ++i) {
        if (active(k, j, i) > 0) return true;
      }
    }
  }
  return false;
}

}  // namespace

Session::Session(Context ctx, const Protocol& protocol, const Reconstructor& reconstructor, Corrections corrections)
    : ctx_(std::move(ctx)),
      reconstructor_(reconstructor),
      corrections_(corrections),
      drift_(protocol),
      model_(protocol.size * protocol.size * protocol.size) {}

Latency Session::take(double response, Index volumes, ArrayRef<const std::complex<float>> samples) {
  Latency latency;
  Array<std::complex<float>> data;
  latency.field = ms_of([&] {
    data = clone(ctx_.host(), samples);
    if (!corrections_.field) return;
    field_hz_.push_back(drift_.estimate(samples));
    drift_.undo(field_hz_.back(), data);
  });
  Array<float> image;
  latency.image = ms_of([&] { image = reconstructor_.magnitude(data.ref()); });
  latency.motion = ms_of([&] {
    if (!corrections_.motion) return;
    if (!realign_) realign_ = std::make_unique<Realign>(ctx_, image);
    poses_.push_back(realign_->estimate(ctx_, image));
    image = realign_->undo(ctx_, poses_.back(), image);
  });
  latency.statistics = ms_of([&] {
    const double part = static_cast<double>(model_.volumes()) / static_cast<double>(std::max<Index>(1, volumes - 1));
    model_.add(ctx_, response, 2 * part - 1, image);
  });
  return latency;
}

Detection detect(const Protocol& protocol, const GeneralLinearModel::Maps& maps) {
  constexpr float part_of_white_matter = 0.3F;
  constexpr float alone = 0.999F;
  constexpr double percent = 100;
  const auto active = protocol.active.view<3>();
  const Index n = protocol.size;
  Detection found;
  std::vector<float> ratios;
  double effects = 0;
  Index pure = 0;
  for (Index voxel = 0; voxel < protocol.active.size(); ++voxel) {
    const float baseline = maps.baseline.data()[voxel];
    if (baseline < part_of_white_matter) continue;
    ++found.head;
    ratios.push_back(baseline / maps.noise.data()[voxel]);
    const float part = protocol.active.data()[voxel];
    const float t = maps.t.data()[voxel];
    if (part >= alone) {
      effects += maps.effect.data()[voxel];
      ++pure;
    }
    if (part >= 0.5F) {
      ++found.active;
      found.largest_t = std::max(found.largest_t, static_cast<double>(t));
    }
    if (t <= threshold) continue;
    if (part >= 0.5F) {
      ++found.found;
    } else if (!is_near_active(active, voxel / (n * n), voxel / n % n, voxel % n)) {
      ++found.wrong;
    }
  }
  if (pure > 0) found.amplitude = percent * effects / static_cast<double>(pure);
  if (!ratios.empty()) {
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    found.signal_to_noise = *middle;
  }
  return found;
}

}  // namespace whorl::studies::fmri

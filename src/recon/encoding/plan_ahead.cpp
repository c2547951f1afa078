#include "recon/encoding/plan_ahead.hpp"

#include <algorithm>
#include <utility>

#include "kernels/device_runtime.hpp"

namespace whorl::recon {

namespace {

// Branch of the pool: a number that no other branch has (kernels/side_by_side.hpp: 1
// and up; ranks/share.cpp: -1).
constexpr int own_branch = -2;

Context make_context(const Context& ctx) {
  const Device device = ctx.device();
  const auto queue = kernels::runtime_of(device.kind)->make_queue(device.index, std::nullopt);
  return ctx.branch(queue, own_branch).with(std::shared_ptr<ProgressSink>());
}

}  // namespace

void PlanAhead::start(const Context& ctx, Trajectories trajectories, Make make) {
  if (!beside_) beside_ = make_context(ctx);
  trajectories_ = std::move(trajectories);
  ctx.synchronize();
  // The thread has copies of what it uses.
  made_ = std::async(std::launch::async, [beside = *beside_, list = trajectories_, make = std::move(make)] {
    std::vector<Transform> made;
    for (const auto& trajectory : list) made.push_back(make(beside, *trajectory));
    return made;
  });
}

bool PlanAhead::has(const std::shared_ptr<const Trajectory>& trajectory) const {
  return is_busy() && std::ranges::find(trajectories_, trajectory) != trajectories_.end();
}

std::vector<PlanAhead::Transform> PlanAhead::take() { return made_.get(); }

}  // namespace whorl::recon

// Transforms that are planned while others are in use.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::recon {

/// Plans the transforms of some trajectories in a thread of its own, on a GPU
/// in a stream of its own, with a branch of the context's pool. Its destructor
/// waits for the thread.
///
/// Memory that comes back to that branch is used again in the other stream: so
/// work in the context's stream with a transform that was made here must have
/// ended before the transform is released, and before the next start.
class PlanAhead {
 public:
  using Trajectories = std::vector<std::shared_ptr<const Trajectory>>;
  using Transform = std::shared_ptr<const CoilTransform>;
  /// Must not use what the caller changes before take().
  using Make = std::function<Transform(const Context&, const Trajectory&)>;

  /// The context, without its sink, is that of the thread at the first start.
  void start(const Context& ctx, Trajectories trajectories, Make make);
  bool has(const std::shared_ptr<const Trajectory>& trajectory) const;
  bool is_busy() const { return made_.valid(); }
  const Trajectories& trajectories() const { return trajectories_; }
  /// Waits for the transforms, in the order of the trajectories. Throws what
  /// their planning threw.
  std::vector<Transform> take();

 private:
  std::optional<Context> beside_;
  Trajectories trajectories_;
  std::future<std::vector<Transform>> made_;
};

}  // namespace whorl::recon

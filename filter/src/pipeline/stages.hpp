// Stages: the passes over the image that a pipeline is planned as.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "filter/src/pipeline/hooks.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::filters {

/// One pass. Consecutive point operations are one program; a filter does the neighboring point operations if its device
/// can fuse them.
struct Stage {
  const Filter* filter = nullptr;              ///< null: only `load`
  const StatisticFilter* statistic = nullptr;  ///< the filter, if it has a statistic: its operation precedes `store`
  const FusingFilter* fusing = nullptr;        ///< the filter, if it takes `load` and `store`
  std::optional<PointProgram> load;
  std::optional<PointProgram> store;
  ImageFormat input;   ///< before `load`
  ImageFormat output;  ///< after `store`
};

/// A stage of only point operations.
Stage pass_of_points(PointProgram points, const ImageFormat& input, const ImageFormat& output);

/// The passes of a pipeline, which has to outlive them. `device` is where the filters run, and decides about fusing;
/// none: nothing is fused. Empty only if the pipeline changes nothing.
std::vector<Stage> stages_of(std::span<const std::shared_ptr<const Filter>> chain, const ImageFormat& input,
                             std::optional<DeviceKind> device);

/// A stage with its tables on a device.
class BoundStage {
 public:
  BoundStage(const Context& ctx, const Stage& stage);

  const ImageFormat& output() const { return stage_.output; }
  void apply(const Context& ctx, const Image& input, Image& result) const;
  bool is_repeatable() const;

 private:
  Stage stage_;
  std::optional<BoundPoints> load_;
  std::optional<BoundPoints> store_;
};

/// Applies `first`, then `second`, in as few passes as possible.
void apply_points(const Context& ctx, PointProgram first, const std::optional<PointProgram>& second, const Image& input,
                  Image& result);

}  // namespace whorl::filters

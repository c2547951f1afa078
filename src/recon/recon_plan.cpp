#include "whorl/recon/recon_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/out_of_memory.hpp"
#include "op/nufft_workload.hpp"
#include "recon/check_scan.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/frame_groups.hpp"
#include "recon/least_squares_recon.hpp"
#include "recon/memory.hpp"
#include "recon/methods/entry.hpp"
#include "recon/recon_plan.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "recon/tiles/tiles.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Index reconstruction_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  return recon::plan_tiles(ctx, scan, options).bytes;
}

ReconPlan plan_reconstruction(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  const recon::MemoryNeeds needs = recon::plan_tiles(ctx, scan, options);
  const ReconOptions tiled = recon::working_options(options, needs.tiles);
  const recon::MethodEntry& method = recon::method_of(tiled);
  const recon::FramesShare share = recon::frames_share(tiled);
  ReconPlan plan{.bytes = needs.bytes,
                 .limit = recon::usable_memory(ctx),
                 .stage_bytes = needs.stages.named(),
                 .frames_at_once = needs.frames,
                 .iterations = method.iterations(tiled),
                 .frames = static_cast<Index>(scan.frames.size()),
                 .spilled = recon::spilled_bytes(ctx, scan, tiled, needs.tiles, needs.spilled_solver_bytes()),
                 .needs = std::make_shared<const recon::MemoryNeeds>(needs)};
  const Trajectory* before = nullptr;
  for (const std::size_t number : recon::solving_order(scan, tiled)) {
    const Trajectory* const trajectory = scan.frames[number].trajectory.get();
    if (trajectory != before) ++plan.trajectories;
    before = trajectory;
  }
  plan.solves =
      share == recon::FramesShare::place
          ? recon::count_of_slices(recon::slices_of(scan))
          : static_cast<Index>(recon::frame_groups(scan, plan.frames_at_once, recon::solved_share(tiled)).size());
  if (tiled.transform == TransformMethod::exact) {
    plan.coils_at_once = recon::coils_used(scan, tiled);
    plan.convolution = !method.grids;
    return plan;
  }
  const Shape image = scan.image_shape();
  const Index samples = recon::largest_frame(ctx, scan, tiled).trajectory->samples();
  const Index coils = recon::coils_used(scan, tiled);
  const NufftWorkload work =
      nufft_workload<float>(ctx, image, samples, coils, recon::transform_options(ctx, image, samples, tiled));
  plan.coils_at_once = needs.tiles.single ? 1 : work.coils_at_once;
  plan.convolution = !method.grids && (work.convolution || tiled.subspace != nullptr);
  return plan;
}

namespace {

// Throws unless the plan is for these frames. plan_reconstruction has checked scan and options, but the frames may have changed.
void check_plan(const ReconPlan& plan, const Scan& scan, const ReconOptions& options) {
  const auto frames = static_cast<Index>(scan.frames.size());
  if (plan.needs != nullptr && plan.frames == frames) return recon::check_frames(scan, options);
  throw ValueError(fmt::format(
      "reconstruction: the plan is for {} frames; expected one for {} frames, which plan_reconstruction makes",
      plan.frames, frames));
}

// Advice that makes a scan fit into memory.
std::string what_helps(const recon::MemoryNeeds& needs, const ReconOptions& options) {
  const auto takes_most = [&](recon::Stage stage) { return needs.stages.value(stage) == needs.bytes; };
  const bool joint = recon::method_of(options).makes_maps && takes_most(recon::stages::nlinv);
  std::string helps;
  if (joint || (options.coil_maps == CoilMapMethod::nlinv && takes_most(recon::stages::coil_maps))) {
    helps = fmt::format("make the {} by ESPIRiT, for NLINV has some ten images more at a time; or ",
                        joint ? "image by least squares, with coil maps" : "coil maps");
  }
  return helps + "use fewer coils (compression), fewer frames at a time, a larger limit of memory, or another device";
}

}  // namespace

recon::MemoryNeeds recon::checked_memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& options,
                                               const ReconPlan* plan) {
  plan != nullptr ? check_plan(*plan, scan, options) : check_scan(scan, options);
  if (options.resources.plans != nullptr && !scan.frames.empty() &&
      !plan_is_kept(ctx, scan, largest_frame(ctx, scan, options), coils_used(scan, options),
                    working_options(options, {}))) {
    options.resources.plans->plan().release();
  }
  const Index there = usable_memory(ctx);
  const MemoryNeeds needs = plan != nullptr ? *plan->needs : plan_tiles(ctx, scan, options);
  if (needs.bytes <= there) return needs;
  throw detail::OutOfMemory(
      fmt::format("reconstruction: needs some {:.4g} MB of memory on {}{}, where {:.4g} MB may be planned with; {}",
                  1e-6 * static_cast<double>(needs.bytes), to_string(ctx.device()),
                  needs.tiles.data || needs.tiles.images || needs.tiles.maps || needs.tiles.solver
                      ? ", with all spilled that can be"
                      : "",
                  1e-6 * static_cast<double>(there), what_helps(needs, options)));
}

}  // namespace whorl

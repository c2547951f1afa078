#include "recon/memory.hpp"

#include <algorithm>
#include <cmath>

#include "recon/encoding/encoding.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joined/joined_memory.hpp"
#include "recon/steps.hpp"

namespace whorl::recon {

ReconOptions with_needs(const ReconOptions& given, const MemoryNeeds& needs) {
  ReconOptions options = working_options(given, needs.tiles);
  options.error_bars.noise.batch = needs.replicas;
  return options;
}

MemoryNeeds memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& given, const Tiles& tiles) {
  MemoryNeeds needs{.tiles = tiles};
  const ReconOptions options = working_options(given, tiles);
  if (scan.frames.empty()) return needs;
  const std::vector<PlannedScan> scans = planned_scans(ctx, scan, options);
  const auto trajectories = trajectories_of_frames(scans);
  MemorySizes sizes{.ctx = ctx,
                    .scan = scan,
                    .options = options,
                    .tiles = tiles,
                    .signal = given.signal,
                    .scans = scans,
                    .trajectories = trajectories,
                    .frame = scans.front().largest,
                    .image = scan.image_shape(),
                    .images = count_of_images(scan, options),
                    .coils = 0,
                    .data = 0};
  for (const PlannedScan& one : scans) {
    sizes.coils += one.coils;
    sizes.data += one.data_bytes();
    const SignalMemory own = signal_memory(ctx, one.scan, one.coils, one.options);
    SignalMemory& all = sizes.evolution;
    all.stage = {all.stage.kept + own.stage.kept, std::max(all.stage.peak, all.stage.kept + own.stage.peak)};
    all.normal = std::max(all.normal, own.normal);
  }
  sizes.transform = transform_of_frame(ctx, sizes);
  sizes.plan = sizes.transform.plan;
  sizes.planning = sizes.transform.planning;

  MemoryPlan plan;
  if (plan_is_kept(ctx, scan, sizes.frame, sizes.coils, options)) {
    plan.hold(sizes.plan);
    sizes.transform.plan = sizes.transform.planning = 0;
  }
  for (const Step& step : steps_of(options)) step.add_memory(sizes, plan, needs);
  const auto in_blocks = [blocks = sizes.blocks()](Index bytes) {
    return static_cast<Index>(std::ceil(static_cast<double>(bytes) * blocks));
  };
  needs.bytes = in_blocks(plan.peak());
  needs.stages = plan.stages();
  for (auto& [stage, bytes] : needs.stages) bytes = in_blocks(bytes);
  return needs;
}

}  // namespace whorl::recon

#include "recon/memory.hpp"

#include <algorithm>
#include <cmath>

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/encoding/map_memory.hpp"
#include "recon/field_of_view.hpp"
#include "recon/gridding_recon.hpp"
#include "recon/joined/joined_memory.hpp"
#include "recon/methods/method.hpp"
#include "recon/prepare.hpp"
#include "recon/quality/error_bars.hpp"

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
  const bool joined = scans.size() > 1;
  MemorySizes sizes{.ctx = ctx,
                    .scan = scan,
                    .options = options,
                    .tiles = tiles,
                    .signal = given.signal,
                    .scans = scans,
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
  add_preparation(plan, ctx, scan, options, tiles);
  if (joined) add_joined_preparation(plan, ctx, scans, tiles);
  plan.hold(sizes.joined_positions());
  if (!tiles.images) plan.hold(sizes.images * sizes.image_bytes());
  if (sizes.on_host()) plan.hold(error_bar_results(options.error_bars, sizes.image.size(), sizes.images));
  plan.add(support_memory(ctx, scan, options));
  if (sizes.weighs_first()) {
    plan.add(gridding_weights_memory(ctx, sizes.frame, sizes.image, options, tiles.weights),
             Stage::density_compensation);
  }
  // The transform is planned before there are maps: in 3D planning takes more than anything after it.
  plan.add({sizes.transform.plan, sizes.transform.plan + sizes.transform.planning}, Stage::plan);
  plan.add(sizes.evolution.stage, when(sizes.evolution.stage.peak > 0, Stage::signal_factors));
  if (joined) {
    add_joined_coil_maps(plan, ctx, scans);
  } else if (needs_coil_maps(options)) {
    add_maps(ctx, plan, scan, sizes.frame, sizes.coils, sizes.transform, options, tiles);
  }
  method_of(options).add_memory(sizes, plan, needs);
  // Filters run before the transforms are freed: on what goes in, and on two images in turns.
  if (options.filter) plan.use(3 * sizes.images * sizes.image_bytes(), Stage::filter);
  const auto in_blocks = [blocks = sizes.blocks()](Index bytes) {
    return static_cast<Index>(std::ceil(static_cast<double>(bytes) * blocks));
  };
  needs.bytes = in_blocks(plan.peak());
  needs.stages = plan.stages();
  for (auto& [stage, bytes] : needs.stages) bytes = in_blocks(bytes);
  return needs;
}

}  // namespace whorl::recon

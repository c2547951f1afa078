#include "recon/encoding/map_memory.hpp"

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/calibration_frame.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/gridding/gridding_recon.hpp"

namespace whorl::recon {

namespace {

// Maps by Walsh's method, beside density weights and transform: images of the coils, and the maps from these.
void add_walsh_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                    const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles) {
  const Shape image = scan.image_shape();
  const Tiles of_images{.data = tiles.data, .coils = tiles.maps, .weights = tiles.weights, .single = tiles.single};
  plan.use(gridding_memory(ctx, frame, image, coils, transform, options, of_images));
  plan.add(coil_map_memory(ctx, scan, frame, coils, options, tiles));
}

}  // namespace

void add_joined_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                     const ReconOptions& options, const Tiles& tiles) {
  Tiles here = tiles;
  here.data = false;
  ScanFrame joined{frame.index, joined_trajectory(ctx, scan, frame, options), nullptr, {}, frame.geometry};
  const Index samples = joined.trajectory->samples();
  plan.hold(coils * samples * complex_bytes + joined.trajectory->points.size() * static_cast<Index>(sizeof(double)));
  if (options.coil_maps != CoilMapMethod::espirit && coils > 1) {
    const Shape image = scan.image_shape();
    const NufftMemory transform =
        tiles.files ? NufftMemory{}
                    : transform_memory(ctx, image, joined.trajectory->points, tiles.single ? 1 : coils, options);
    if (options.coil_maps == CoilMapMethod::walsh) {
      plan.add(gridding_weights_memory(ctx, joined, image, options, tiles.weights));
    }
    plan.add({transform.plan, transform.plan + transform.planning});
    if (options.coil_maps == CoilMapMethod::walsh) {
      return add_walsh_maps(ctx, plan, scan, joined, coils, transform, options, here);
    }
  }
  plan.add(coil_map_memory(ctx, scan, joined, coils, options, here));
}

void add_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
              const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles) {
  MemoryPlan making;
  making.hold(plan.held());
  if (joins_frames(scan, frame, options)) {
    add_joined_maps(ctx, making, scan, frame, coils, options, tiles);
  } else if (weighs_for_maps(scan, frame, coils, options)) {
    add_walsh_maps(ctx, making, scan, frame, coils, transform, options, tiles);
  } else {
    making.add(coil_map_memory(ctx, scan, frame, coils, options, tiles));
  }
  plan.use(making.peak() - plan.held(), stages::coil_maps);
  if (!tiles.maps) plan.hold(coils * scan.image_shape().size() * complex_bytes);
}

}  // namespace whorl::recon

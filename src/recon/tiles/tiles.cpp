#include "recon/tiles/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "density/density_memory.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/memory.hpp"
#include "recon/methods/entry.hpp"

namespace whorl::recon {

namespace {

// What the parts of a reconstruction can do without: on a CPU spilled arrays are read as others are.
Tiles may_spill(const Context& ctx, const Shape& image, const ReconOptions& options) {
  if (!options.joint.empty()) return {};
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const bool error_bars = options.error_bars.any() || options.certified_samples > 0;
  const bool nufft = options.transform == TransformMethod::nufft && !options.signal.any();
  Tiles may = method_of(options).may_spill({options, image.rank(), on_host, error_bars, nufft});
  const bool alone = options.resources.ranks == nullptr || options.resources.ranks->size() == 1;
  if (!alone) return {.pair = may.pair, .spectrum = may.spectrum};
  may.data = on_host || !error_bars;
  may.images = !options.filter;
  may.weights = may.weights || options.coil_maps == CoilMapMethod::walsh;
  return may;
}

// Whether maps come from images of all coils, which are spilled with them.
bool makes_images_of_coils(const ReconOptions& options) {
  return method_of(options).makes_maps || (needs_coil_maps(options) && (options.coil_maps == CoilMapMethod::walsh ||
                                                                        options.coil_maps == CoilMapMethod::nlinv));
}

}  // namespace

MemoryNeeds plan_tiles(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  Tiles tiles{.data = options.resources.spill.data_in_file && ctx.device().kind == DeviceKind::cpu};
  MemoryNeeds needs = memory_needs(ctx, scan, options, tiles);
  const Tiles may = may_spill(ctx, scan.image_shape(), options);
  const Index room = usable_memory(ctx);
  const bool of_all_coils = makes_images_of_coils(options);
  const bool tiles_of_maps = ctx.device().kind != DeviceKind::cpu && method_of(options).least_squares;
  constexpr std::array parts = {&Tiles::data,   &Tiles::images,   &Tiles::maps,   &Tiles::coils, &Tiles::weights,
                                &Tiles::solver, &Tiles::spectrum, &Tiles::single, &Tiles::pair,  &Tiles::files};
  // With what else comes along.
  const auto whole = [&](Tiles more) {
    more.coils = more.coils || (more.single && may.coils);
    more.maps = more.maps || (more.single && (of_all_coils || tiles_of_maps));
    more.data =
        more.data || (more.maps && may.data);  // maps that came with the scan are prepared where its samples are
    return more;
  };
  // Another part may be the largest afterwards: those before it are asked again.
  for (auto part = parts.begin(); part != parts.end() && needs.bytes > room;) {
    Tiles more = tiles;
    more.*(*part) = true;
    more = whole(more);
    MemoryNeeds less = tiles.*(*part) || !(may.*(*part)) ? needs : memory_needs(ctx, scan, options, more);
    // Where planning takes the most, single coils alone bring nothing, and pairs may take more than it with several coils.
    if (less.bytes >= needs.bytes && *part == &Tiles::pair && may.pair && may.single && !tiles.single) {
      more.single = true;
      more = whole(more);
      less = memory_needs(ctx, scan, options, more);
    }
    // Pairs of transforms of many samples take more than a convolution, for example.
    const bool has_place = !less.tiles.solver || less.spilled_solver_bytes() <= room_for_solver(ctx);
    if (less.bytes >= needs.bytes || !has_place) {
      ++part;
      continue;
    }
    tiles = more;
    needs = std::move(less);
    part = parts.begin();
  }
  return needs;
}

std::vector<std::pair<std::string, Index>> spilled_bytes(const Context& ctx, const Scan& scan,
                                                         const ReconOptions& options, const Tiles& tiles,
                                                         Index solver_bytes) {
  const Index coils = coils_used(scan, options);
  const Index image = scan.image_shape().size() * complex_bytes;
  const std::string place = ctx.device().kind == DeviceKind::cpu ? "in a file" : "on the host";
  std::vector<std::pair<std::string, Index>> spilled;
  if (tiles.data) {
    spilled.emplace_back("samples " + place, coils * scan.samples() * complex_bytes);
  }
  if (tiles.images) spilled.emplace_back("images " + place, static_cast<Index>(scan.frames.size()) * image);
  if (tiles.maps) spilled.emplace_back("coil maps " + place, coils * image);
  const bool beside_maps = tiles.maps && coils > 1 && makes_images_of_coils(options);
  if (tiles.coils || beside_maps) spilled.emplace_back("images of the coils " + place, coils * image);
  if (tiles.weights) {
    spilled.emplace_back("grid of density weights " + place, detail::pipe_menon_grid_bytes(scan.image_shape()));
  }
  if (tiles.solver) spilled.emplace_back("arrays of the solver " + place, solver_bytes);
  if (!tiles.spectrum && !tiles.files) return spilled;
  const NufftMemory memory =
      transform_memory(ctx, scan.image_shape(), largest_frame(ctx, scan, options).trajectory->points, coils, options);
  if (tiles.spectrum) spilled.emplace_back("the making of A^H A's spectrum " + place, memory.planning);
  if (tiles.files) {
    spilled.emplace_back("the transform in files",
                         memory.plan + std::max({memory.planning, memory.forward, memory.adjoint, memory.normal}));
  }
  return spilled;
}

void note_tiles(Run& run, const Scan& scan, const ReconOptions& options, const Tiles& tiles, Index solver_bytes,
                const CoilTransform& transform) {
  const Index at_once = transform.coils_at_once();
  if (run.ctx.device().kind != DeviceKind::cpu && at_once < scan.coils) {
    run.notes.emplace_back(fmt::format("Memory on {}: {} of {} coils are transformed at a time.",
                                       to_string(run.ctx.device()), at_once, scan.coils));
  }
  std::string list;
  for (const auto& [what, bytes] : spilled_bytes(run.ctx, scan, options, tiles, solver_bytes)) {
    list += fmt::format("{}{} ({:.4g} MB)", list.empty() ? "" : ", ", what, 1e-6 * static_cast<double>(bytes));
  }
  if (!list.empty()) run.notes.emplace_back(fmt::format("Spilled, for memory is limited: {}.", list));
  if (tiles.single && run.ctx.device().kind == DeviceKind::cpu)
    run.notes.emplace_back("Memory: the coils are transformed one at a time.");
  if (tiles.pair) {
    run.notes.emplace_back("A^H A: a pair of transforms, for the spectrum of a convolution does not fit into memory.");
  }
}

}  // namespace whorl::recon

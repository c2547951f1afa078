// What a NUFFT costs on a CPU, in time and in memory.
#include "kernels/nufft_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/grid_layout.hpp"

namespace whorl::backend::cpu {

namespace {

// Nanoseconds of one thread, measured on a processor with vectors of 32 bytes. A sample costs a fixed part to fetch it
// and half a nanosecond for each vector of the window's lines. A grid point costs its share of the transforms, which in
// 3D wait for memory.
double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double vectors = std::pow(work.width, work.dim - 1) * std::ceil(work.width / 4.0);
  const double per_point = work.dim == 2 ? 5 : 10;
  return static_cast<double>(work.samples) * (6 + 0.5 * vectors) + static_cast<double>(work.grid_points) * per_point;
}

// An application takes 5.5 per point, as most of its grid is never in memory; planning, shared by thirty, takes 1.
double convolution_cost(const Context&, int, Index grid_points) { return 6.5 * static_cast<double>(grid_points); }

// Whole groups of coils that lie together, which are faster than one coil after another: small grids stay in the
// last-level cache, and the window is evaluated once for all coils of a batch. If a group would take too much memory,
// one coil at a time.
Index most_coils_at_once(const Context&, Index grid_bytes) {
  constexpr Index batch_bytes = Index{8} << 20;
  constexpr Index group_bytes = Index{2} << 30;
  const Index group = kernels::coils_together * grid_bytes;
  return group > group_bytes ? 1 : kernels::coils_together * std::max<Index>(batch_bytes / group, 1);
}

kernels::GriddingMemory gridding_memory(const Context& ctx, const kernels::NufftWork& work, Index real_bytes, Index) {
  // Buffers of one thread. Crowded tiles need twice as much again for sums in double, but the number of samples does
  // not tell whether there are any.
  constexpr Index tile_bytes = Index{256} * 1024;
  // For each axis the cell and the place in it; the index; the place in the order of cells.
  const Index per_sample = work.dim * (static_cast<Index>(sizeof(std::int32_t)) + real_bytes) +
                           static_cast<Index>(sizeof(std::int32_t) + sizeof(std::uint16_t));
  return {work.samples * per_sample, ctx.threads() * tile_bytes};
}

// Only the rows that hold pixels are kept; the other axes are transformed in cache, sixteen columns at a time.
Index convolution_memory(const Context& ctx, const kernels::ConvolutionGeometry& geometry, Index real_bytes,
                         Index coils) {
  const Index complex_bytes = 2 * real_bytes;
  const auto& [image, grid] = geometry;
  const Index kept = kernels::points_with_padding({image[0], image[1], grid[2]}) * complex_bytes;
  constexpr Index columns = 16;
  const Index longest = *std::max_element(grid.begin(), grid.end());
  const Index in_cache = columns * (longest + (grid[0] > 1 ? image[0] * (grid[1] + 1) : 0)) * complex_bytes;
  return kept * std::clamp<Index>(kernels::convolution_batch_bytes / kept, 1, coils) + ctx.threads() * in_cache;
}

}  // namespace

void register_nufft_cost() {
  kernels::nufft_cost.set(DeviceKind::cpu, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cpu, convolution_cost);
  kernels::most_coils_at_once.set(DeviceKind::cpu, most_coils_at_once);
  kernels::gridding_memory.set(DeviceKind::cpu, gridding_memory);
  kernels::convolution_memory.set(DeviceKind::cpu, convolution_memory);
}

}  // namespace whorl::backend::cpu

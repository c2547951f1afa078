// The cost of a NUFFT on a CPU, in time and in memory.
#include "kernels/nufft_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "backend/cpu/lines/padded_axes.hpp"
#include "backend/cpu/nufft/gridding_tiles.hpp"
#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Nanoseconds of one thread, measured on a processor with vectors of 32 bytes. A sample costs a fixed part to fetch it
// and half a nanosecond for each vector of the window's lines. A grid point costs its share of the transforms, which in
// 3D wait for memory.
double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double vectors = std::pow(work.width, work.dim - 1) * std::ceil(work.width / 4.0);
  const double per_point = work.dim <= 2 ? 5 : 10;
  return static_cast<double>(work.samples) * (6 + 0.5 * vectors) + static_cast<double>(work.grid_points) * per_point;
}

// Most of the grid is never stored. In a plane an application takes 4.2 per point where a NUFFT takes what is said above, in
// 3D 5.5; a thirtieth of the planning takes 1.
double convolution_cost(const Context&, int dim, Index grid_points) {
  return (dim == 2 ? 5.2 : 6.5) * static_cast<double>(grid_points);
}

// Each component takes two transforms of grids in memory, and each pair of components its products at each point.
double mixing_cost(const Context&, const kernels::MixingWork& work) {
  const auto components = static_cast<double>(work.components);
  const double transforms = work.dim <= 2 ? 7.5 : 15;
  return static_cast<double>(work.grid_points) * components * (transforms + components);
}

// Whole groups of interleaved coils, which are faster than one coil after another: small grids stay in the last-level
// cache, and the window is evaluated once for all coils of a batch. If a group would take too much memory, one coil at
// a time.
Index most_coils_at_once(const Context&, Index grid_bytes) {
  constexpr Index batch_bytes = Index{8} << 20;
  constexpr Index group_bytes = Index{2} << 30;
  const Index group = kernels::coils_together * grid_bytes;
  return group > group_bytes ? 1 : kernels::coils_together * std::max<Index>(batch_bytes / group, 1);
}

// Bytes of the buffers of one thread. Spreading in single precision has sums in double as well, for crowded tiles; they
// are counted whether or not a tile is crowded, since they are small beside the samples.
template <class Real, int Dim>
Index thread_bytes(const kernels::GridLayout& grid, int width, Index coils, bool with_sums) {
  const Index largest = largest_tile<Dim>(grid, width);
  const auto of_groups = [&](Index together, Index groups) {
    const Index at_once = std::min(groups_at_once<Real>(together, largest), groups);
    const Index sums = with_sums ? at_once * 2 * together * largest : 0;
    return buffer_numbers(at_once, together, largest) * static_cast<Index>(sizeof(Real)) +
           sums * static_cast<Index>(sizeof(double));
  };
  const Index joined = coils / grid.together;
  const Index alone = grid.together == 1 ? 0 : coils - joined * grid.together;
  return std::max(of_groups(grid.together, joined), of_groups(1, alone));
}

template <class Real, int Dim>
kernels::GriddingMemory memory_of(const Context& ctx, const kernels::PlacedSamples& placed,
                                  const kernels::GridLayout& grid, int width, Index coils) {
  const Index samples = placed.count();
  constexpr auto place_bytes = static_cast<Index>(sizeof(TileSample<Real, Dim>));
  constexpr auto index_bytes = static_cast<Index>(sizeof(std::int32_t));
  // Kept: the positions in the order of the tiles, the index in the trajectory, the place in the order of cells. During
  // planning also the positions in the order of the trajectory, and their tiles.
  constexpr Index kept = place_bytes + index_bytes + static_cast<Index>(sizeof(std::uint16_t));
  const Index threads = threads_for(ctx, 16 * coils * samples);
  return {samples * kept, samples * (place_bytes + index_bytes),
          threads * thread_bytes<Real, Dim>(grid, width, coils, std::is_same_v<Real, float>),
          threads * thread_bytes<Real, Dim>(grid, width, coils, false)};
}

kernels::GriddingMemory gridding_memory(const Context& ctx, const kernels::PlacedSamples& samples,
                                        const kernels::GridLayout& grid, int width, Index real_bytes, Index coils) {
  const bool single = real_bytes == sizeof(float);
  if (samples.dim() == 1) {
    const auto memory = single ? memory_of<float, 1> : memory_of<double, 1>;
    return memory(ctx, samples, grid, width, coils);
  }
  if (samples.dim() == 2) {
    const auto memory = single ? memory_of<float, 2> : memory_of<double, 2>;
    return memory(ctx, samples, grid, width, coils);
  }
  const auto memory = single ? memory_of<float, 3> : memory_of<double, 3>;
  return memory(ctx, samples, grid, width, coils);
}

// Only the rows that hold pixels are kept; the other axes are transformed in cache, sixteen columns at a time.
Index convolution_memory(const Context& ctx, const kernels::ConvolutionGeometry& geometry, Index real_bytes,
                         Index coils) {
  const Index complex_bytes = 2 * real_bytes;
  const auto& [image, grid] = geometry;
  const Index kept = image[0] * image[1] * padded_stride(grid[2]) * complex_bytes;
  constexpr Index columns = 16;
  const Index longest = *std::max_element(grid.begin(), grid.end());
  const Index in_cache = columns * (longest + (grid[0] > 1 ? image[0] * (grid[1] + 1) : 0)) * complex_bytes;
  return kept * convolution_grids(ctx, kept, coils) + ctx.threads() * in_cache;
}

}  // namespace

void register_nufft_cost() {
  kernels::nufft_cost.set(DeviceKind::cpu, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cpu, convolution_cost);
  kernels::mixing_cost.set(DeviceKind::cpu, mixing_cost);
  kernels::most_coils_at_once.set(DeviceKind::cpu, most_coils_at_once);
  kernels::gridding_memory.set(DeviceKind::cpu, gridding_memory);
  kernels::convolution_memory.set(DeviceKind::cpu, convolution_memory);
}

}  // namespace whorl::backend::cpu

// The cost of a NUFFT on a GPU, in time and in memory.
#include "kernels/nufft_cost.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/lines/convolution_batch.hpp"
#include "backend/cuda/nufft/gridding_line.hpp"
#include "backend/cuda/nufft/gridding_tuning.hpp"
#include "backend/cuda/nufft/nufft_cost_tuning.hpp"
#include "backend/cuda/nufft/spread_parts.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double points = std::pow(work.width, work.dim);
  const tuning::NufftCost& cost = work.dim <= 2 ? tuning::nufft_2d : tuning::nufft_3d;
  return static_cast<double>(work.samples) * (cost.sample + cost.window_point * points) +
         static_cast<double>(work.grid_points) * cost.grid_point;
}

double convolution_cost(const Context&, int dim, Index grid_points) {
  return static_cast<double>(grid_points) * (dim == 2 ? tuning::convolution_2d : tuning::convolution_3d);
}

double mixing_cost(const Context&, const kernels::MixingWork& work) {
  const auto components = static_cast<double>(work.components);
  const double transforms = work.dim == 2 ? tuning::convolution_2d : tuning::convolution_3d;
  return static_cast<double>(work.grid_points) * components * (transforms + tuning::mixed_pair * components);
}

// The window's values serve all coils of a batch. Once the device is full, more coils at a time gain nothing.
Index most_coils_at_once(const Context& ctx, Index grid_bytes) {
  const auto part = static_cast<Index>(tuning::part_of_memory * static_cast<double>(ctx.pool().limit()));
  return std::max<Index>(std::min(tuning::batch_bytes, part) / grid_bytes, 1);
}

template <class Real, int Dim>
kernels::GriddingMemory memory_of(const Context& ctx, const kernels::PlacedSamples& samples,
                                  const kernels::GridLayout& grid, int width, Index coils) {
  const BinGrid bins = make_bins(grid, width);
  const TileGrid tiles =
      spread_tile_grid(Dim, grid, bins, width, samples.count(), properties_of(ctx).multiProcessorCount);
  const CutTiles cut = count_cut_tiles(ctx, samples, bins, width, tiles);
  constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<Real>));
  constexpr auto part_bytes = static_cast<Index>(sizeof(TilePart));
  const SumsAtOnce at_once = sums_at_once(ctx, Dim, tiles, coils, cut, complex_bytes);
  const Index sums =
      at_once.slots * at_once.coils * tiles.points[0] * tiles.points[1] * tiles.points[2] * complex_bytes;
  const Index bin_count = Index{bins.count[0]} * bins.count[1] * bins.count[2];
  const Index parts = tiles.tiles() + cut.slots + divide_up(samples.count(), Index{tuning::interpolate_threads});
  // During the sort: bin and index of each sample, twice, and once more for the radix sort.
  constexpr auto sorting = static_cast<Index>(3 * (sizeof(unsigned) + sizeof(int)));
  return {samples.count() * static_cast<Index>(sizeof(SortedSample<Real, Dim>)) +
              bin_count * static_cast<Index>(sizeof(int)) + parts * part_bytes,
          samples.count() * sorting, sums, 0};
}

kernels::GriddingMemory gridding_memory(const Context& ctx, const kernels::PlacedSamples& samples,
                                        const kernels::GridLayout& grid, int width, Index real_bytes, Index coils) {
  const bool single = real_bytes == sizeof(float);
  if (samples.dim() == 1) return line_gridding_memory(samples.count(), grid.extent[2], real_bytes);
  if (samples.dim() == 2)
    return (single ? memory_of<float, 2> : memory_of<double, 2>)(ctx, samples, grid, width, coils);
  return (single ? memory_of<float, 3> : memory_of<double, 3>)(ctx, samples, grid, width, coils);
}

// The rows that hold pixels, and in 3D the columns along y of the planes that do.
Index convolution_memory(const Context& ctx, const kernels::ConvolutionGeometry& geometry, Index real_bytes,
                         Index coils) {
  const auto& [image, grid] = geometry;
  const Index columns = grid[0] > 1 ? image[0] * grid[1] : 0;
  const Index bytes = (image[0] * image[1] + columns) * grid[2] * 2 * real_bytes;
  return bytes * std::clamp<Index>(convolution_batch(ctx) / bytes, 1, coils);
}

}  // namespace

void register_nufft_cost() {
  kernels::nufft_cost.set(DeviceKind::cuda, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cuda, convolution_cost);
  kernels::mixing_cost.set(DeviceKind::cuda, mixing_cost);
  kernels::most_coils_at_once.set(DeviceKind::cuda, most_coils_at_once);
  kernels::gridding_memory.set(DeviceKind::cuda, gridding_memory);
  kernels::convolution_memory.set(DeviceKind::cuda, convolution_memory);
}

}  // namespace whorl::backend::cuda

// What a NUFFT costs on a GPU, in time and in memory.
#include "kernels/nufft_cost.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/lines/line_fft_tuning.hpp"
#include "backend/cuda/nufft/gridding_tuning.hpp"
#include "backend/cuda/nufft/nufft_cost_tuning.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// How many tiles read a sample, on average: a tile reads whole bins, as far as windows reach into it.
double tiles_of_a_sample(const kernels::NufftWork& work) {
  const int bin = 1 << tuning::bin_shift(work.width);
  const int reach_in_bins = divide_up(work.width - 1, bin);
  const double reach = reach_in_bins * bin;
  const double in_plane = 1 + reach / tuning::spread_tile;
  return in_plane * in_plane * (work.dim == 2 ? 1 : 1 + reach / tuning::spread_planes<3>);
}

double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double points = std::pow(work.width, work.dim);
  const tuning::NufftCost& cost = work.dim == 2 ? tuning::nufft_2d : tuning::nufft_3d;
  return static_cast<double>(work.samples) * (cost.sample + cost.window_point * points) +
         static_cast<double>(work.grid_points) * cost.grid_point;
}

double convolution_cost(const Context&, int dim, Index grid_points) {
  return static_cast<double>(grid_points) * (dim == 2 ? tuning::convolution_2d : tuning::convolution_3d);
}

// The window's values serve all coils of a batch. Beyond what fills the device, more coils at a time gain nothing.
Index most_coils_at_once(const Context& ctx, Index grid_bytes) {
  const auto part = static_cast<Index>(tuning::part_of_memory * static_cast<double>(ctx.pool().limit()));
  return std::max<Index>(std::min(tuning::batch_bytes, part) / grid_bytes, 1);
}

// An upper bound: only crowded tiles are cut into parts, which have sums of their own. A tile that is cut has more than
// twice the samples of a part, so rounding up adds at most half a part to each.
kernels::GriddingMemory gridding_memory(const Context&, const kernels::NufftWork& work, Index real_bytes, Index coils) {
  constexpr auto index_bytes = static_cast<Index>(sizeof(int));
  constexpr Index points_per_bin = 16;
  // Cell, place in it, index.
  const Index per_sample = work.dim * (index_bytes + real_bytes) + index_bytes;
  // Each part of a tile has all points of the tile.
  const Index planes = work.dim == 2 ? tuning::spread_planes<2> : tuning::spread_planes<3>;
  const Index tile = Index{tuning::spread_tile} * tuning::spread_tile * planes;
  const Index samples_of_a_part = work.dim == 2 ? tuning::spread_wanted<2> : tuning::spread_wanted<3>;
  const double samples_read = tiles_of_a_sample(work) * static_cast<double>(work.samples);
  const auto parts = static_cast<Index>(1.5 * samples_read / static_cast<double>(samples_of_a_part)) + 1;
  return {work.samples * per_sample + work.grid_points / points_per_bin * index_bytes,
          parts * tile * coils * 2 * real_bytes};
}

// The rows that hold pixels, and in 3D the columns along y of the planes that do.
Index convolution_memory(const Context&, const kernels::ConvolutionGeometry& geometry, Index real_bytes, Index coils) {
  const auto& [image, grid] = geometry;
  const Index columns = grid[0] > 1 ? image[0] * grid[1] : 0;
  const Index bytes = (image[0] * image[1] + columns) * grid[2] * 2 * real_bytes;
  return bytes * std::clamp<Index>(tuning::convolution_batch_bytes / bytes, 1, coils);
}

}  // namespace

void register_nufft_cost() {
  kernels::nufft_cost.set(DeviceKind::cuda, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cuda, convolution_cost);
  kernels::most_coils_at_once.set(DeviceKind::cuda, most_coils_at_once);
  kernels::gridding_memory.set(DeviceKind::cuda, gridding_memory);
  kernels::convolution_memory.set(DeviceKind::cuda, convolution_memory);
}

}  // namespace whorl::backend::cuda

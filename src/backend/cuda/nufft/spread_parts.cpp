#include "backend/cuda/nufft/spread_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "backend/cuda/nufft/gridding_tuning.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// The first sample of each bin, as if the samples were sorted: [bins + 1].
std::vector<int> first_of_bins(const Context& ctx, const kernels::PlacedSamples& samples, const BinGrid& bins,
                               int width) {
  const int dim = samples.dim();
  const Index count = samples.count();
  const double* const points = samples.points.data();
  std::vector<int> first(static_cast<std::size_t>(bins.count[0]) * bins.count[1] * bins.count[2] + 1);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index j = 0; j < count; ++j) {
    int bin = 0;
    for (int axis = dim - 1; axis >= 0; --axis) {
      const double k = points[j * dim + axis] * samples.scale[static_cast<std::size_t>(axis)];
      bin = bin * bins.count[axis] + (locate(k, bins.extent[axis], width).start >> bins.shift);
    }
    int& samples_of_bin = first[static_cast<std::size_t>(bin) + 1];
#pragma omp atomic
    ++samples_of_bin;
  }
  for (std::size_t bin = 1; bin < first.size(); ++bin) first[bin] += first[bin - 1];
  return first;
}

// The largest number of samples of a tile that is not cut: about as many as other tiles have, if there are enough tiles
// to keep the device busy.
int most_of_part(int dim, const BinGrid& bins, const TileGrid& tiles, Index sample_count, int multiprocessors) {
  auto samples = static_cast<double>(sample_count);
  const int bin = 1 << bins.shift;
  for (int axis = 0; axis < dim; ++axis) {
    samples *= 1 + static_cast<double>(round_up(tiles.reach, bin)) / tiles.points[axis];
  }
  const double often = 1.5 * samples / tiles.tiles();
  const double filling = samples / (tuning::spread_rounds * multiprocessors);
  return std::max(dim == 2 ? tuning::spread_most<2> : tuning::spread_most<3>,
                  static_cast<int>(std::min({often, filling, double{tuning::spread_most_summed}})));
}

int tiles_of(Index points, int tile) { return static_cast<int>(divide_up(points, Index{tile})); }

}  // namespace

BinGrid make_bins(const kernels::GridLayout& grid, int width) {
  BinGrid bins{};
  bins.shift = tuning::bin_shift(width);
  const int points = 1 << bins.shift;
  for (int axis = 0; axis < 3; ++axis) {
    bins.extent[axis] = static_cast<int>(grid.extent[static_cast<std::size_t>(2 - axis)]);
    bins.count[axis] = divide_up(bins.extent[axis], points);
  }
  return bins;
}

// Rows are written including their padding, which has to be finite.
TileGrid spread_tile_grid(int dim, const kernels::GridLayout& grid, const BinGrid& bins, int width, Index samples,
                          int multiprocessors) {
  constexpr int side = tuning::spread_tile;
  const int planes = dim == 2 ? tuning::spread_planes<2> : tuning::spread_planes<3>;
  TileGrid tiles{{side, side, planes},
                 {tiles_of(grid.row, side), tiles_of(grid.extent[1], side), tiles_of(grid.extent[0], planes)},
                 width - 1,
                 0,
                 dim == 2 ? tuning::spread_wanted<2> : tuning::spread_wanted<3>,
                 true};
  tiles.most = most_of_part(dim, bins, tiles, samples, multiprocessors);
  return tiles;
}

CutTiles count_cut_tiles(const Context& ctx, const kernels::PlacedSamples& samples, const BinGrid& bins, int width,
                         const TileGrid& tiles) {
  const std::vector<int> first = first_of_bins(ctx, samples, bins, width);
  Index slots = 0;
  Index fullest = 0;
#pragma omp parallel for schedule(static) num_threads(ctx.threads()) reduction(+ : slots) reduction(max : fullest)
  for (int tile = 0; tile < tiles.tiles(); ++tile) {
    int read = 0;
    for_each_range(bins, tiles, corner_of(tiles, tile), first.data(), 0, 1,
                   [&](int /*range*/, int /*first*/, int count) { read += count; });
    const Index parts = tiles.parts(read);
    if (parts < 2) continue;
    slots += parts;
    fullest = std::max(fullest, parts);
  }
  return {slots, fullest};
}

Index coils_of_a_group(int dim, Index batch) {
  const Index most = dim == 2 ? tuning::spread_coils<2> : tuning::spread_coils<3>;
  return divide_up(batch, divide_up(batch, most));
}

SumsAtOnce sums_at_once(const Context& ctx, int dim, const TileGrid& tiles, Index batch, const CutTiles& cut,
                        Index complex_bytes) {
  const auto part = static_cast<Index>(tuning::sums_part_of_memory * static_cast<double>(ctx.pool().limit()));
  const Index room = std::min(tuning::sums_bytes, part);
  const Index of_a_coil = Index{tiles.points[0]} * tiles.points[1] * tiles.points[2] * complex_bytes;  // and slot
  const Index group = coils_of_a_group(dim, batch);
  const Index groups = room / std::max<Index>(cut.slots * of_a_coil * group, 1);
  if (groups >= 1) return {std::min(groups * group, batch), cut.slots};
  return {group, std::clamp(room / (of_a_coil * group), cut.fullest, cut.slots)};
}

}  // namespace whorl::backend::cuda

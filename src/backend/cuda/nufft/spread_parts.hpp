// How spreading divides its work: the grid into tiles, crowded tiles into parts, and the parts into rounds whose sums
// are in memory at a time. A plan and the prediction of its memory ask the same functions.
#pragma once

#include <vector>

#include "backend/cuda/nufft/gridding_tiles.cuh"
#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cuda {

BinGrid make_bins(const kernels::GridLayout& grid, int width);

/// The tiles of spreading `samples` samples on a device of `multiprocessors` multiprocessors.
TileGrid spread_tile_grid(int dim, const kernels::GridLayout& grid, const BinGrid& bins, int width, Index samples,
                          int multiprocessors);

/// Parts of cut tiles, each of which has a slot for its sums.
struct CutTiles {
  Index slots = 0;
  Index fullest = 0;  ///< parts of the tile that has most
};

/// Counts them on the host, from the bins of the samples, as the plan does on the device.
CutTiles count_cut_tiles(const Context& ctx, const kernels::PlacedSamples& samples, const BinGrid& bins, int width,
                         const TileGrid& tiles);

/// Coils that spreading takes at a time: groups of about equal size, as few as possible.
Index coils_of_a_group(int dim, Index batch);

/// For how many coils, and for how many parts of cut tiles, the sums are in memory at a time. No tile is split.
struct SumsAtOnce {
  Index coils;
  Index slots;
};

/// `complex_bytes`: of a number. All of them where there is memory for all; else those of fewer coils, whole groups; and
/// where one group takes too much, those of some tiles after the other.
SumsAtOnce sums_at_once(const Context& ctx, int dim, const TileGrid& tiles, Index batch, const CutTiles& cut,
                        Index complex_bytes);

}  // namespace whorl::backend::cuda

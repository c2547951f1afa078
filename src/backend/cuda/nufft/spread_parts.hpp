// The division of spreading's work: the grid into tiles, crowded tiles into parts, and the parts into rounds whose sums
// are in memory at a time. A plan and the prediction of its memory use the same functions.
#pragma once

#include <vector>

#include "backend/cuda/nufft/gridding_tiles.cuh"
#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cuda {

BinGrid make_bins(const kernels::GridLayout& grid, int width);

/// The tiles of spreading `samples` samples on a device of `multiprocessors` multiprocessors.
TileGrid spread_tile_grid(int dim, const kernels::GridLayout& grid, const BinGrid& bins, int width, Index samples,
                          int multiprocessors);

/// The parts of cut tiles. Each part has a slot for its sums.
struct CutTiles {
  Index slots = 0;
  Index fullest = 0;  ///< number of parts of the tile with the most parts
};

/// Counts them on the host, from the bins of the samples, as the plan does on the device.
CutTiles count_cut_tiles(const Context& ctx, const kernels::PlacedSamples& samples, const BinGrid& bins, int width,
                         const TileGrid& tiles);

/// The number of coils that are spread at a time: groups of about equal size, as few as possible.
Index coils_of_a_group(int dim, Index batch);

/// The numbers of coils and of parts of cut tiles whose sums are in memory at a time. No tile is split.
struct SumsAtOnce {
  Index coils;
  Index slots;
};

/// All sums if there is memory for them; otherwise those of fewer coils, in whole groups; and if one group takes too
/// much, those of some tiles at a time. `complex_bytes` are the bytes of a number.
SumsAtOnce sums_at_once(const Context& ctx, int dim, const TileGrid& tiles, Index batch, const CutTiles& cut,
                        Index complex_bytes);

}  // namespace whorl::backend::cuda

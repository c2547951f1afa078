// How samples are divided into tiles of the grid.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "backend/cpu/nufft/gridding_loops.hpp"
#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cpu {

/// A part of the grid and the samples whose windows begin in it. Windows reach at most width - 1 points past its end; these
/// points are the halo.
template <int Dim>
struct Tile {
  std::array<Index, Dim> corner;  // first grid point, x first
  std::array<Index, Dim> extent;  // with the halo
  Index first;                    // of its samples
  Index count;
  bool apart;  // inside the grid and away from other tiles of its color: the loops may write to the grid itself
  bool crowded = false;  // sums in single precision would lose digits: see most_summed_samples

  // Along any axis of three.
  Index corner_along(std::size_t axis) const { return axis < Dim ? corner[axis] : 0; }
  Index extent_along(std::size_t axis) const { return axis < Dim ? extent[axis] : 1; }
};

/// The largest number of samples of a tile, and of one cell of the grid, that are summed in single precision (CrowdedTile).
/// Equal samples in one cell are always rounded in the same direction, so a sum of n of them is off by about n/4 roundings.
/// Samples with different weights are rounded in both directions, and most of the errors cancel.
inline constexpr Index most_summed_samples = 4096;
inline constexpr Index most_summed_in_cell = 32;

/// Number of samples in a part of a tile: the values of one coil stay in the first-level cache.
inline constexpr Index samples_of_a_part = 1024;

/// Points of the largest tile of a grid, with its halo, for a window of `width` points.
template <int Dim>
Index largest_tile(const kernels::GridLayout& grid, int width);

/// The number of groups of `together` interleaved coils that share the values of a window: their tiles together fit into
/// the second-level cache.
template <class Real>
Index groups_at_once(Index together, Index largest_tile) {
  constexpr Index cache_numbers = Index{256} * 1024 / static_cast<Index>(sizeof(Real));
  return std::max<Index>(1, cache_numbers / (2 * together * largest_tile + 1));
}

/// Numbers in the buffer of a thread for some groups of coils: their tiles, and the values of a part of the samples.
inline Index buffer_numbers(Index groups, Index together, Index largest_tile) {
  return groups * (2 * together * (largest_tile + samples_of_a_part) + row_slack);
}

/// Samples in the order of their tiles, and two lists of the tiles: one of all tiles, for reading; one by colors, for
/// writing. Two tiles of one color never share a grid point, halos included, so they may be written at the same time. The
/// fullest tile of each list comes first.
///
/// The samples of a tile are cut into parts. `index` and `place` list the samples of a part in the order of acquisition, in
/// which their values are close in memory; `samples` lists them in the order of the grid's cells, for the loops.
template <class Real, int Dim>
struct Tiling {
  static constexpr Index part_samples = samples_of_a_part;

  Tiling(const Context& ctx, const kernels::GriddingGeometry& geometry);

  Array<std::int32_t> index;   ///< in the trajectory
  Array<std::uint16_t> place;  ///< in the part's samples
  Array<TileSample<Real, Dim>> samples;
  std::vector<Tile<Dim>> tiles;
  std::vector<std::vector<Tile<Dim>>> colors;
  Index largest_tile = 0;     // points of the largest tile with its halo
  Index largest_crowded = 0;  // and of the largest that is crowded

 private:
  // Returns the number of samples in the fullest cell.
  Index sort_by_cell(Index first, Index count);
};

}  // namespace whorl::backend::cpu

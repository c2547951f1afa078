// How samples are divided into tiles of the grid.
#pragma once

#include <array>
#include <vector>

#include "backend/cpu/gridding_loops.hpp"
#include "kernels/gridding.hpp"

namespace whorl::backend::cpu {

/// A part of the grid and the samples whose windows begin in it. Windows reach at most width - 1 points past its end:
/// the halo.
template <int Dim>
struct Tile {
  std::array<Index, Dim> corner;  // first grid point, x first
  std::array<Index, Dim> extent;  // with the halo
  Index first;                    // of its samples
  Index count;
};

/// Samples in the order of their tiles, and the tiles twice: all of them, for reading; and in colors, for writing: two
/// tiles of one color never share a grid point, halos included, so they may be written at the same time. The fullest
/// tile of each list comes first.
template <class Real, int Dim>
struct Tiling {
  Tiling(const kernels::GriddingGeometry& geometry, int threads);

  std::vector<TileSample<Real, Dim>> samples;
  std::vector<Tile<Dim>> tiles;
  std::vector<std::vector<Tile<Dim>>> colors;
  Index largest_tile = 0;  // points of the largest tile with its halo

 private:
  void sort_by_cell(const std::vector<Index>& first, int threads);
};

}  // namespace whorl::backend::cpu

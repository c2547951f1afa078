// Positions sorted into tiles whose phases stay small (position_sums.hpp).
#pragma once

#include <vector>

#include "backend/cpu/exact/position_sums.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cpu {

/// Largest |k.(r - r0)| within a tile, in turns. So float holds the phase to 2e-6 turns: it takes three products and
/// sums of numbers below 5, and each of them, like each factor, has a relative rounding error of 2^-24.
inline constexpr double tile_turns = 4;

template <class Real>
struct PositionTiles {
  struct Tile {
    std::array<float, 3> origin;
    std::size_t first;  ///< place of the tile's first position
    std::size_t places;
  };

  std::vector<Tile> tiles;
  std::vector<Index> order;   ///< the position at each place; -1 where a tile is padded
  std::vector<Real> offsets;  ///< of tile t from 3 first on: [x, y, z][places]
};

/// positions [position, dim], dim 1 to 3; reach: the largest |k| of each axis. Splits at the median along the axis on
/// which the phase varies most, until a tile has no more than tile_places places and tile_turns turns, or one position.
template <class Real>
PositionTiles<Real> sort_into_tiles(ArrayRef<const double> positions, const std::array<double, 3>& reach);

}  // namespace whorl::backend::cpu

// Tiles of a periodic axis, as a point near the edge of its own one sees them.
#pragma once

#include "studies/gridding_2d/layout.hpp"

namespace whorl::studies::gridding_2d {

/// Where tile `number` of an axis begins and which one it is; -1 is the last one and `tiles` the first.
struct TilePlace {
  int tile;
  int corner;
  __device__ TilePlace(int number, int tiles, int side, int extent)
      : tile(wrapped(number, tiles)), corner(number < tiles ? tile * side - (number < 0 ? extent : 0) : extent) {}
};

}  // namespace whorl::studies::gridding_2d

// The samples of a trajectory in the order of the grid's bins, and the parts of tiles on which blocks work.
#pragma once

#include "backend/cuda/nufft/gridding_tiles.cuh"
#include "kernels/gridding.hpp"

namespace whorl::backend::cuda {

template <class Real, int Dim>
struct SortedSamples {
  SortedSamples(const Context& ctx, const kernels::GriddingGeometry& geometry, const BinGrid& bins);

  Array<SortedSample<Real, Dim>> samples;
  Array<int> bin_first;  // [bins + 1]
};

/// The parts of all tiles, and those tiles that have more than one.
struct TileParts {
  Array<TilePart> parts;
  Array<TilePart> cut;  // part: its number among all parts, slot: both of the first part
  int slots = 0;        // of parts of cut tiles
};

/// For both directions at once, because making them waits for the device.
struct GriddingParts {
  GriddingParts(const Context& ctx, const BinGrid& bins, const int* bin_first, const TileGrid& spread_tiles,
                const TileGrid& interpolation_tiles);

  TileParts spread;
  TileParts interpolation;
};

}  // namespace whorl::backend::cuda

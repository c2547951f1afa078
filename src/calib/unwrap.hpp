// Phases that are joined from voxel to voxel.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl {

/// Neighbors along one axis: voxels v and v + step.
struct NeighborPair {
  Index first = 0;
  Index second = 0;
};

/// All pairs of neighbors of a mask [z, y, x] along its axes.
std::vector<NeighborPair> neighbors_in(const std::array<Index, 3>& extent, const std::vector<char>& mask);

struct Unwrapped {
  std::vector<Index> turns;   ///< to add to each voxel's phase
  std::vector<Index> region;  ///< number of its connected region; -1: outside the mask
  Index regions = 0;
};

/// Turns that make the phases of products continuous. Pairs are joined in the order of min(|p|) (1 + cos(difference)); of
/// each region the first voxel has 0 turns.
Unwrapped unwrap_phases(const std::vector<std::complex<double>>& products, const std::vector<NeighborPair>& pairs,
                        const std::vector<char>& mask);

}  // namespace whorl

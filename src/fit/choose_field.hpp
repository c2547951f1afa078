// One field for each voxel out of several that explain it.
#pragma once

#include <array>
#include <vector>

#include "fit/field_candidates.hpp"

namespace whorl {

/// The number of the chosen candidate of each voxel [z, y, x], -1 where it has none: the least sum that
/// whorl/fit/water_fat.hpp describes, step 2. `spacing` is the shortest one of the echoes, in seconds.
///
/// Sequential tree-reweighted message passing: each iteration passes once forward and once backward through the voxels and
/// raises a lower bound of the sum; the best choice of all iterations is taken.
std::vector<int> choose_fields(const Context& ctx, const std::array<Index, 3>& extent,
                               const std::vector<VoxelCandidates>& candidates, double smoothness, double spacing);

}  // namespace whorl

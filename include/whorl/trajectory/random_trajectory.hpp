// Random trajectories, for tests and for comparison.
#pragma once

#include <cstdint>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

enum class RandomRegion {
  box,   ///< |k_x|, |k_y|(, |k_z|) < 0.5
  ball,  ///< |k| < 0.5: a disc in the plane
};

/// Independent positions, uniform in a region: the same for the same seed on every machine.
///
/// Shapes  points [samples, dim], readout length not known (0)
/// Units   cycles per pixel
/// Throws  ValueError (no sample, dim other than 2 or 3)
Trajectory random_trajectory(const Context& ctx, Index samples, int dim, RandomRegion region, std::uint64_t seed);

}  // namespace whorl

// Random trajectories, for tests and for comparison.
#pragma once

#include <cstdint>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

enum class RandomRegion {
  box,   ///< |k_x|, |k_y|(, |k_z|) < 0.5
  ball,  ///< |k| < 0.5: in 2D a disc
};

/// Independent positions, uniform in a region. A seed gives the same positions on every machine.
///
/// Shapes  points [samples, dim]; the readout length is 0 (unknown)
/// Units   cycles per pixel
/// Throws  ValueError (no sample, dim other than 2 or 3)
Trajectory random_trajectory(const Context& ctx, Index samples, int dim, RandomRegion region, std::uint64_t seed);

}  // namespace whorl

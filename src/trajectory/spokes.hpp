// Private: straight readouts through the center, of which radial trajectories are made.
#pragma once

#include <array>
#include <string_view>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl::detail {

/// Throws ValueError when there is no readout or a readout has fewer than 2 samples. `readouts` is their name.
void check_readouts(std::string_view operation, std::string_view readouts, Index count, Index samples);

/// Writes spoke `spoke` of a trajectory: radius (i - floor(n/2)) / n along a unit vector.
void write_spoke(Trajectory& trajectory, Index spoke, const std::array<double, 3>& direction);

}  // namespace whorl::detail

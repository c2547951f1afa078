// Spiral trajectories in two dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Interleaved Archimedean spirals from the center outwards, at constant angular velocity:
///
///   k[a * samples + i] = t / 2 * (cos theta, sin theta),   t = i / (samples - 1),   theta = 2 pi (turns t + a / arms).
///
/// The distance between neighboring turns is 1 / (2 turns arms); an image of N pixels is fully sampled by turns *
/// arms >= N / 2.
///
/// Shapes  points [arms * samples, 2]
/// Units   cycles per pixel
/// Throws  ValueError when there is no arm, an arm has fewer than 2 samples, or turns is not positive
Trajectory spiral_trajectory(const Context& ctx, Index arms, Index samples, double turns);

}  // namespace whorl

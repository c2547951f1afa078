// Spiral trajectories in two dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/minimum_time.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Interleaved spirals from the center outwards, at constant angular velocity:
///
///   k[a * samples + i] = t^power / 2 * (cos theta, sin theta),   t = i / (samples - 1),
///   theta = 2 pi (turns t + a / arms).
///
/// power = 1 is the spiral of Archimedes. With power > 1 the center is sampled more densely than the edge. Neighboring
/// turns at t are power t^(power - 1) / (2 turns arms) apart, at the edge largest_spiral_gap. An image of N pixels is
/// fully sampled if that is at most 1 / N.
///
/// Shapes  points [arms * samples, 2]
/// Units   cycles per pixel
/// Throws  ValueError (no arm, an arm of fewer than 2 samples, turns not positive, power below 1)
/// Source  variable density: Kim, Adalsteinsson, Spielman, "Simple analytic variable density spiral design", Magn Reson
///         Med 50:214 (2003)
Trajectory spiral_trajectory(const Context& ctx, Index arms, Index samples, double turns, double power = 1);

/// Distance of neighboring turns at the edge, in cycles per pixel: power / (2 turns arms).
double largest_spiral_gap(Index arms, double turns, double power);

/// The first arm as a curve with p = t.
/// Throws  ValueError (turns not positive, power below 1)
KCurve spiral_curve(double turns, double power);

/// These arms in the least time that gradient amplitude and slew rate allow (minimum_time_motion).
///
/// Shapes  points [arms * samples, 2], gradients [1, time, 2]: the waveform of arm 0; arm a is turned by
///         2 pi a / arms
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (as spiral_trajectory and minimum_time_motion), Cancelled
DesignedTrajectory designed_spiral(const Context& ctx, Index arms, double turns, double power,
                                   const DesignOptions& options);

}  // namespace whorl

// Rosette trajectories in two dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/minimum_time.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Rosettes: the radius swings through the center while the direction turns,
///
///   k[a * samples + i] = sin(2 pi swings t) / 2 * (cos theta, sin theta),   t = i / samples,
///   theta = 2 pi (rotations t + a / (2 swings shots)).
///
/// Integers `swings` and `rotations` close the curve. A swing has two petals; the petals of all shots are evenly
/// spaced.
///
/// Shapes  points [shots * samples, 2]
/// Units   cycles per pixel
/// Throws  ValueError (no shot, a shot of fewer than 2 samples, swings or rotations not positive)
/// Source  Noll, "Multishot rosette trajectories for spectrally selective MR imaging", IEEE Trans Med Imaging 16:372
///         (1997)
Trajectory rosette_trajectory(const Context& ctx, Index shots, Index samples, double swings, double rotations);

/// The first shot as a curve with p = t. Throws ValueError if swings or rotations are not positive.
KCurve rosette_curve(double swings, double rotations);

/// These shots in the least time that gradient amplitude and slew rate allow (minimum_time_motion).
///
/// Shapes  points [shots * samples, 2], gradients [1, time, 2]: the waveform of shot 0; the others are turned
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (as rosette_trajectory and minimum_time_motion), Cancelled
DesignedTrajectory designed_rosette(const Context& ctx, Index shots, double swings, double rotations,
                                    const DesignOptions& options);

}  // namespace whorl

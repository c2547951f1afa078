// 3D cones: spirals on cones about the z axis.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

struct ConesOptions {
  Index cones = 1;        ///< polar angles (c + 1/2) pi / cones
  Index interleaves = 1;  ///< arms on each cone
  double matrix = 1;      ///< N, of which the turns follow: tracks on a cone are at most 1 / N apart
};

/// Interleaved spirals of Archimedes on cones of polar angle b_c = (c + 1/2) pi / cones:
///
///   k[(c * M + a) * samples + i] = t / 2 * (sin b_c cos theta, sin b_c sin theta, cos b_c),   t = i / (samples - 1),
///   theta = 2 pi (turns_c t + a / M),   turns_c = sqrt(max(0, (pi N sin b_c / M)^2 - 1)) / (2 pi sin b_c)
///
/// for M interleaves. Neighboring tracks on a cone are 2 pi r sin b_c / M / sqrt(1 + (4 pi turns_c r sin b_c)^2) apart
/// at radius r, to first order in that distance; the turns are the fewest with which that is 1 / N or less at the edge,
/// none where M straight lines are enough. Neighboring cones are pi / (2 cones) apart at the edge: pi N / 2 cones
/// sample fully.
///
/// Shapes  points [cones * M * samples, 3]
/// Units   cycles per pixel
/// Throws  ValueError when there is no cone or interleaf, an arm has fewer than 2 samples, or N is not positive
/// Source  Irarrazabal, Nishimura, "Fast three dimensional magnetic resonance imaging", Magn Reson Med 33:656 (1995);
///         Gurney, Hargreaves, Nishimura, "Design and analysis of a practical 3D cones trajectory", Magn Reson Med
///         55:575 (2006)
Trajectory cones_trajectory(const Context& ctx, const ConesOptions& options, Index samples);

/// The same arms, run through in the least time that gradient amplitude and slew rate allow (minimum_time_motion);
/// those of shorter cones are slowed to the time of the longest.
///
/// Shapes  points [cones * M * samples, 3], gradients [cone, time, 3]: the waveform of interleaf 0; a is turned by
///         2 pi a / M about z
/// Units   cycles per pixel; mT/m
/// Throws  ValueError as cones_trajectory and minimum_time_motion do, and of more than 10000 cones; Cancelled
DesignedTrajectory designed_cones(const Context& ctx, const ConesOptions& options, const DesignOptions& design);

}  // namespace whorl

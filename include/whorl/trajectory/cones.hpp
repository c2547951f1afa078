// 3D cones: spirals on cones about the z axis.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

struct ConesOptions {
  Index cones = 1;        ///< polar angles (c + 1/2) pi / cones
  Index interleaves = 1;  ///< arms on each cone
  double matrix = 1;      ///< N, which sets the turns: tracks on a cone are at most 1 / N apart
};

/// Interleaved spirals of Archimedes on cones of polar angle b_c = (c + 1/2) pi / cones:
///
///   k[(c * M + a) * samples + i] = t / 2 * (sin b_c cos theta, sin b_c sin theta, cos b_c),   t = i / (samples - 1),
///   theta = 2 pi (turns_c t + a / M),   turns_c = sqrt(max(0, (pi N sin b_c / M)^2 - 1)) / (2 pi sin b_c)
///
/// for M interleaves. To first order, neighboring tracks on a cone have the distance
/// 2 pi r sin b_c / M / sqrt(1 + (4 pi turns_c r sin b_c)^2) at radius r. The turns are the fewest for a distance of at
/// most 1 / N at the edge; 0 if M straight lines are enough. Neighboring cones are pi / (2 cones) apart at the edge, so
/// pi N / 2 cones sample k-space fully.
///
/// Shapes  points [cones * M * samples, 3]
/// Units   cycles per pixel
/// Throws  ValueError (no cone or interleaf, an arm of fewer than 2 samples, N not positive)
/// Source  Irarrazabal, Nishimura, "Fast three dimensional magnetic resonance imaging", Magn Reson Med 33:656 (1995);
///         Gurney, Hargreaves, Nishimura, "Design and analysis of a practical 3D cones trajectory", Magn Reson Med
///         55:575 (2006)
Trajectory cones_trajectory(const Context& ctx, const ConesOptions& options, Index samples);

/// These arms in the least time that gradient amplitude and slew rate allow (minimum_time_motion). The arms of
/// faster cones are slowed to the time of the slowest.
///
/// Shapes  points [cones * M * samples, 3], gradients [cone, time, 3]: the waveform of interleaf 0; interleaf a is
///         turned by 2 pi a / M about z
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (as cones_trajectory and minimum_time_motion; more than 10000 cones), Cancelled
DesignedTrajectory designed_cones(const Context& ctx, const ConesOptions& options, const DesignOptions& design);

}  // namespace whorl

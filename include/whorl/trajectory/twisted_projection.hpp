// Twisted projection imaging (TPI): readouts that leave the center straight and then wind about cones.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

struct TwistedProjectionOptions {
  Index cones = 1;        ///< polar angles (c + 1/2) pi / cones; pi N / 2 cones sample N voxels fully
  double fraction = 0.4;  ///< p: the part of the radius that is straight
  double matrix = 1;      ///< N, which sets the number of readouts on a cone
  double reduction = 1;   ///< reduction factor of the readouts on each cone, relative to full sampling
};

/// Number of readouts on a cone of polar angle b: ceil(pi p N sin b / reduction). With reduction 1 they are at most
/// 1 / N apart where the twist begins.
Index twisted_readouts(const TwistedProjectionOptions& options, Index cone);

/// The motion on a cone of polar angle b. With v = gamma pixel G, k0 = p / 2 and x = k / k0, its radius is that of
/// density_adapted_motion,
///
///   k = v (t - ramp / 2) up to k0, reached at t0;  k^3 = k0^3 + 3 k0^2 v (t - t0) after that,
///
/// with a constant density of samples in 3D beyond k0. Its azimuth phi has the speed k sin b phi' = w:
///
///   w = v sqrt(1 - x^-4) wherever the slew rate allows.
///
/// There |g| = G; without the slew limit phi = (sqrt(x^4 - 1) - arccos(x^-2)) / (2 sin b). At the start of the twist,
/// and on narrow cones, this w would need more than the slew rate. There w rises as fast as the slew rate allows, |g|
/// is less than G, and the twist lags behind. The density of samples does not change.
///
/// Throws  ValueError (as density_adapted_motion; a polar angle that is not between 0 and pi)
/// Source  Boada, Gillen, Shen, Chang, Thulborn, "Fast three dimensional sodium imaging", Magn Reson Med 37:706 (1997)
Motion twisted_projection_motion(double polar_angle, double fraction, const GradientLimits& limits);

/// All readouts, cone after cone; those of a cone are turned evenly about z.
///
/// Shapes  points [readout * samples, 3], gradients [cone, time, 3]: the waveform of the first readout of each cone
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (no cone, a matrix or reduction that is not positive; as twisted_projection_motion), Cancelled
DesignedTrajectory twisted_projection(const Context& ctx, const TwistedProjectionOptions& options,
                                      const DesignOptions& design);

}  // namespace whorl

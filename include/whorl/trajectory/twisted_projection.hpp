// Twisted projection imaging (TPI): readouts that leave the center straight and then wind about cones.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

struct TwistedProjectionOptions {
  Index cones = 1;        ///< polar angles (c + 1/2) pi / cones; pi N / 2 sample N voxels fully
  double fraction = 0.4;  ///< p: the part of the radius that is straight
  double matrix = 1;      ///< N, of which the number of readouts on a cone follows
  double reduction = 1;   ///< takes so many times fewer readouts on each cone than full sampling asks for
};

/// Readouts of a cone of polar angle b: ceil(pi p N sin b / reduction), so that they are at most 1 / N apart where the
/// twist begins if nothing is reduced.
Index twisted_readouts(const TwistedProjectionOptions& options, Index cone);

/// The motion on a cone of polar angle b. With v = gamma pixel G, k0 = p / 2 and x = k / k0, it is the readout of
/// density_adapted_motion,
///
///   k = v (t - ramp / 2) up to k0, reached at t0;  k^3 = k0^3 + 3 k0^2 v (t - t0) after that,
///
/// whose density of samples in space is constant beyond k0, turned by an azimuth phi with k sin b phi' = w:
///
///   w = v sqrt(1 - x^-4) wherever the slew rate allows.
///
/// There |g| = G, and by itself this gives phi = (sqrt(x^4 - 1) - arccos(x^-2)) / (2 sin b). At first w would have to
/// rise faster than any slew rate, and on narrow cones it would turn faster; there w rises as fast as the slew rate
/// allows, the amplitude is less than G, and the twist lags behind. The density of samples stays what it is.
///
/// Throws  ValueError as density_adapted_motion does, and of a polar angle that is not between 0 and pi
/// Source  Boada, Gillen, Shen, Chang, Thulborn, "Fast three dimensional sodium imaging", Magn Reson Med 37:706 (1997)
Motion twisted_projection_motion(double polar_angle, double fraction, const GradientLimits& limits);

/// All readouts, cone after cone; those of a cone are turned evenly about z.
///
/// Shapes  points [readout * samples, 3], gradients [cone, time, 3]: the waveform of the first readout of each cone
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (no cone, a matrix or reduction that is not positive, as twisted_projection_motion), Cancelled
DesignedTrajectory twisted_projection(const Context& ctx, const TwistedProjectionOptions& options,
                                      const DesignOptions& design);

}  // namespace whorl

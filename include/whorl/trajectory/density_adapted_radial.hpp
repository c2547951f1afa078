// Density-adapted radial trajectories, for nuclei of short T2 such as sodium.
#pragma once

#include <array>
#include <span>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// A readout that leaves the center along a straight line, and slows down so that the density of its samples is
/// constant. In d dimensions, with the speed v = gamma pixel G at the full gradient and k0 = fraction / 2, its radius
/// is
///
///   k = v t^2 / (2 ramp)                     while the gradient rises, for ramp = G / slew,
///   k = v (t - ramp / 2)                     up to k0, reached at t0,
///   k = (k0^d + d k0^(d-1) v (t - t0))^(1/d) up to 0.5: k^(d-1) dk/dt is constant.
///
/// The motion runs along x.
///
/// Throws  ValueError (a fraction outside (0, 1], dim other than 2 or 3, limits; k0 within the ramp; a density law that
///         needs more than the largest slew rate: (d - 1) v / k0 times the gradient). The messages state which values
///         are possible.
/// Source  Nagel, Laun, Weber, Matthies, Semmler, Schad, "Sodium MRI using a density-adapted 3D radial acquisition
///         technique", Magn Reson Med 62:1565 (2009)
Motion density_adapted_motion(double fraction, int dim, const GradientLimits& limits);

/// Density-adapted readouts along unit vectors, from the center outwards.
///
/// Shapes  directions [readout], points [readout * samples, dim], gradients [1, time, 1]: the waveform along the
///         readout's direction
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (as density_adapted_motion; no direction, a direction that is not of length 1)
DesignedTrajectory density_adapted_radial(const Context& ctx, std::span<const std::array<double, 3>> directions,
                                          double fraction, int dim, const DesignOptions& options);

}  // namespace whorl

// The angles of spokes, blades and other readouts that are turned about the center of k-space.
#pragma once

#include <span>
#include <vector>

#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

/// The angle of spoke s. `period` is pi for spokes through the center, which repeat after half a turn, and 2 pi for
/// spokes from the center. `n` is the index of the golden angle.
enum class SpokeOrder {
  uniform,       ///< theta_s = period s / spokes
  golden_angle,  ///< theta_s = period s / (g + n - 1), g = (1 + sqrt(5)) / 2; n = 1: 111.25 degrees from spoke to spoke
  fibonacci,  ///< theta_s = period s F_(m-1) / spokes, where spokes = F_m + (n - 1) F_(m-1): golden order, even angles
};

/// Angles of `spokes` readouts. A tiny golden angle (n > 1) turns less from spoke to spoke, 23.6 degrees for n = 7, and
/// covers as evenly. With `fibonacci` the whole set is exactly uniform, because F_(m-1) and the number of spokes have
/// no common factor, and any run of consecutive spokes is nearly as even as in golden-angle order.
///
/// Units   radians, not reduced to one period
/// Throws  ValueError (no spoke; n below 1; `fibonacci` with a number of spokes that is not a generalized Fibonacci
///         number: the message names the nearest ones)
/// Source  golden angle: Winkelmann, Schaeffter, Koehler, Eggers, Doessel, "An optimal radial profile order based on
///         the golden ratio for time-resolved MRI", IEEE Trans Med Imaging 26:68 (2007); tiny: Wundrak, Paul, Ulrici,
///         Hell, Rasche, "A small surrogate for the golden angle in time-resolved radial MRI based on generalized
///         Fibonacci sequences", IEEE Trans Med Imaging 34:1262 (2015); fibonacci: Scholand, Schaten, Graf, Mackner,
///         Holme, Blumenthal, Mao, Asslaender, Uecker, "Rational approximation of golden angles: accelerated
///         reconstructions for radial MRI", arXiv 2401.02892 (2024)
std::vector<double> spoke_angles(Index spokes, SpokeOrder order, Index n, double period);

/// The largest gap between neighboring angles; the angles repeat after `period`. Throws ValueError for no angles.
double largest_angle_gap(std::span<const double> angles, double period);

}  // namespace whorl

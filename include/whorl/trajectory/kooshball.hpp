// Radial trajectories in three dimensions.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// How the direction (sin b cos a, sin b sin a, cos b) of spoke s of S follows from its number.
enum class KooshballOrder {
  golden_means,  ///< cos b = frac(s phi_1), a = 2 pi frac(s phi_2); phi_1 = 0.4656, phi_2 = 0.6823
  phyllotaxis,   ///< b = pi/2 sqrt(s' / S), a = s' 137.51 degrees, s' of the s-th spoke as `interleaves` says
};

struct KooshballOptions {
  KooshballOrder order = KooshballOrder::golden_means;
  /// Of phyllotaxis, M: interleaf m holds s' = m, m + M, m + 2 M, ... and is a smooth spiral from the pole to the
  /// equator where M is a Fibonacci number. The spokes of an interleaf are adjacent.
  Index interleaves = 1;
  bool center_out = false;  ///< spokes start at the center and cover the whole sphere; else they run through it
};

/// Unit vectors along which the spokes of a kooshball run, on a hemisphere for spokes through the center. With
/// `center_out` they cover the sphere: cos b = 2 frac(s phi_1) - 1 by the golden means, and every other spoke of an
/// interleaf turned to the opposite side in phyllotaxis.
///
/// Throws  ValueError when there is no spoke, golden means have more than one interleaf, or the spokes are not a whole
///         number of interleaves
/// Source  Chan, Ramsay, Cunningham, Plewes, "Temporal stability of adaptive 3D radial MRI using multidimensional
///         golden means", Magn Reson Med 61:354 (2009); Piccini, Littmann, Nielles-Vallespin, Zenge, "Spiral
///         phyllotaxis: the natural way to construct a 3D radial trajectory in MRI", Magn Reson Med 66:1049 (2011)
std::vector<std::array<double, 3>> kooshball_directions(Index spokes, const KooshballOptions& options = {});

/// Spokes through the center of k-space, or from it outwards, in all directions of kooshball_directions:
///
///   full        k[s * readout + i] = (i - floor(readout / 2)) / readout * direction_s
///   center out  k[s * readout + i] = i / (2 readout) * direction_s
///
/// Shapes  points [spokes * readout, 3]
/// Units   cycles per pixel
/// Throws  ValueError when there is no spoke, a readout has fewer than 2 samples, or kooshball_directions refuses
Trajectory kooshball_trajectory(const Context& ctx, Index spokes, Index readout, const KooshballOptions& options = {});

}  // namespace whorl

// Radial trajectories in three dimensions.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The direction (sin b cos a, sin b sin a, cos b) of spoke s of S.
enum class KooshballOrder {
  golden_means,  ///< cos b = frac(s phi_1), a = 2 pi frac(s phi_2); phi_1 = 0.4656, phi_2 = 0.6823
  phyllotaxis,   ///< b = pi/2 sqrt(s' / S), a = s' 137.51 degrees; s' follows from s by `interleaves`
};

struct KooshballOptions {
  KooshballOrder order = KooshballOrder::golden_means;
  /// M, for phyllotaxis only: interleaf m holds s' = m, m + M, m + 2 M, ... If M is a Fibonacci number, an interleaf is
  /// a smooth spiral from the pole to the equator. The spokes of an interleaf are adjacent.
  Index interleaves = 1;
  bool center_out = false;  ///< spokes start at the center and cover the whole sphere; else they run through it
};

/// Unit vectors along the spokes of a kooshball. For spokes through the center they cover a hemisphere. With
/// `center_out` they cover the sphere: with golden means cos b = 2 frac(s phi_1) - 1; with phyllotaxis every other
/// spoke of an interleaf points to the opposite side.
///
/// Throws  ValueError (no spoke, golden means with more than one interleaf, a number of spokes that the interleaves do
///         not divide)
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
/// Throws  ValueError (a readout of fewer than 2 samples; as kooshball_directions)
Trajectory kooshball_trajectory(const Context& ctx, Index spokes, Index readout, const KooshballOptions& options = {});

}  // namespace whorl

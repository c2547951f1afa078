// Cartesian trajectories, and masks that say which lines are taken.
#pragma once

#include <array>
#include <cstdint>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Which lines of phase encoding are left out.
enum class Undersampling {
  none,
  regular,       ///< every a-th line along y and b-th along z of acceleration {a, b}, through the center
  random,        ///< drawn with a density that falls with |k|
  poisson_disc,  ///< no two closer than a distance that grows with |k|: random, without gaps and clusters
};

struct CartesianOptions {
  std::array<Index, 3> matrix{2, 1, 1};  ///< x (readout), y, z; z = 1: 2D
  Undersampling undersampling = Undersampling::none;
  std::array<double, 2> acceleration{1, 1};     ///< along y and z; random kinds take their product
  std::array<Index, 2> calibration{0, 0};       ///< lines along y and z at the center that are taken in any case
  std::array<double, 2> partial_fourier{1, 1};  ///< part of k-space along y and z that is taken, from the positive end
  /// How much denser the center is. random: the density is (1 - r / r_max)^variation; poisson_disc: the distance at the
  /// edge is 1 + variation times that at the center. 0: the same everywhere.
  double variation = 2;
  std::uint64_t seed = 1;
};

/// The lines that are taken: 1 or 0. Line y of N is at k = (y - floor(N / 2)) / N. Partial Fourier leaves out the lines
/// at negative k, after everything else but the calibration region. r is |k| over 0.5 in the plane of phase encoding.
///
/// The random kinds take round(N_y N_z / acceleration) lines, those of the calibration region among them.
/// `poisson_disc` finds its distance at the center by bisection and takes the last darts back where a grid has no
/// distance that fits; a line keeps at least its own distance from those taken before it, in units of lines.
///
/// Shapes  [z, y]
/// Throws  ValueError: an extent below 1 (x: 2) or above 65535; an acceleration below 1 or more than the lines, or not
/// a
///         whole number for regular; a calibration region that is not inside; a part that is not above 0.5 and at most
///         1; a negative variation; Cancelled
/// Source  random: Lustig, Donoho, Pauly, "Sparse MRI", Magn Reson Med 58:1182 (2007), drawn without replacement by
///         Efraimidis, Spirakis, "Weighted random sampling with a reservoir", Inf Process Lett 97:181 (2006);
///         poisson_disc: dart throwing by Cook, "Stochastic sampling in computer graphics", ACM Trans Graph 5:51 (1986)
Array<std::uint8_t> cartesian_mask(const Context& ctx, const CartesianOptions& options);

/// Lines along x of all phase encodings that a mask takes, y before z:
///
///   k[line * N_x + i] = ((i - floor(N_x / 2)) / N_x, (y - floor(N_y / 2)) / N_y (, (z - floor(N_z / 2)) / N_z))
///
/// Shapes  mask [z, y]; points [lines * N_x, 2], or 3 where z > 1
/// Units   cycles per pixel
/// Throws  ShapeError (rank), ValueError (fewer than 2 samples in a line, no line)
Trajectory cartesian_trajectory(const Context& ctx, Index readout, ArrayRef<const std::uint8_t> mask);

}  // namespace whorl

// Cartesian trajectories, and masks of the sampled lines.
#pragma once

#include <array>
#include <cstdint>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Undersampling of the lines of phase encoding.
enum class Undersampling {
  none,
  regular,       ///< every a-th line along y and b-th along z for acceleration {a, b}, including the center
  random,        ///< random, with a density that falls with |k|
  poisson_disc,  ///< random, with a least distance that grows with |k|: no gaps, no clusters
};

struct CartesianOptions {
  std::array<Index, 3> matrix{2, 1, 1};  ///< x (readout), y, z; z = 1: 2D
  Undersampling undersampling = Undersampling::none;
  std::array<double, 2> acceleration{1, 1};     ///< along y and z; the random kinds use their product
  std::array<Index, 2> calibration{0, 0};       ///< fully sampled lines along y and z at the center
  std::array<double, 2> partial_fourier{1, 1};  ///< sampled fraction of k-space along y and z, from the positive end
  /// Excess of density in the center. random: the density is (1 - r / r_max)^variation; poisson_disc: the distance at the
  /// edge is (1 + variation) times that at the center. 0: the same everywhere.
  double variation = 2;
  std::uint64_t seed = 1;
};

/// The mask: 1 for sampled lines, else 0. Line y of N is at k = (y - floor(N / 2)) / N. Partial Fourier is applied to
/// the finished mask and removes lines at negative k, but none of the calibration region. r is |k| over 0.5 in the
/// plane of phase encoding.
///
/// The random kinds sample round(N_y N_z / acceleration) lines, including the calibration region. `poisson_disc` finds
/// the least distance at the center by bisection. If no distance gives that number, the last darts are removed. A line
/// keeps at least its own distance from the lines before it, in units of lines.
///
/// Shapes  [z, y]
/// Throws  ValueError (an extent below 1 (x: 2) or above 65535; an acceleration below 1 or above the number of lines,
///         or not an integer for `regular`; a calibration region larger than k-space; a partial Fourier part outside
///         (0.5, 1]; a negative variation), Cancelled
/// Source  random: Lustig, Donoho, Pauly, "Sparse MRI", Magn Reson Med 58:1182 (2007), drawn without replacement by
///         Efraimidis, Spirakis, "Weighted random sampling with a reservoir", Inf Process Lett 97:181 (2006);
///         poisson_disc: dart throwing by Cook, "Stochastic sampling in computer graphics", ACM Trans Graph 5:51 (1986)
Array<std::uint8_t> cartesian_mask(const Context& ctx, const CartesianOptions& options);

/// Lines along x for all phase encodings of a mask, with y varying fastest:
///
///   k[line * N_x + i] = ((i - floor(N_x / 2)) / N_x, (y - floor(N_y / 2)) / N_y (, (z - floor(N_z / 2)) / N_z))
///
/// Shapes  mask [z, y]; points [lines * N_x, 2], or 3 where z > 1
/// Units   cycles per pixel
/// Throws  ShapeError (rank), ValueError (fewer than 2 samples in a line, no line)
Trajectory cartesian_trajectory(const Context& ctx, Index readout, ArrayRef<const std::uint8_t> mask);

}  // namespace whorl

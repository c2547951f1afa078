// Private: the transform between a small grid of voxels and samples near the center of k-space, in real numbers.
#pragma once

#include <array>
#include <vector>

#include "math/matrix_types.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// Places of samples, in cycles per field of view, x first.
using CenterPlaces = std::vector<std::array<double, 3>>;

/// Complex columns as real ones: real parts of all columns, then imaginary parts of all columns.
Eigen::MatrixXd real_columns(const Matrix<double>& columns);
/// The inverse of real_columns.
Matrix<double> complex_columns(const Eigen::MatrixXd& columns);

/// The transform A of a grid of voxels, exp(-2 pi i k.r) over the square root of their number, as cosines and sines.
///
/// The field of view is 1 long, and voxel (grid - 1) / 2 along each axis lies at r = 0; x is fastest, `grid` is odd. Voxels v and
/// V - 1 - v lie at r and -r. The unitary change of variables u = (x_v + x_-v) / sqrt(2), w = (x_v - x_-v) / (i sqrt(2)) makes
/// their two columns sqrt(2) cos(2 pi k.r) and sqrt(2) sin(2 pi k.r), which are real. Products then take half the work and
/// decompositions a quarter. Waves are numbered like voxels: u takes the place of v, w that of V - 1 - v.
Eigen::MatrixXd center_waves(int dim, const CenterPlaces& places, Index grid);

/// Voxels [voxel, column] of given weights of the waves, and weights of given voxels.
Matrix<double> voxels_of_waves(const Matrix<double>& waves);
Matrix<double> waves_of_voxels(const Matrix<double>& voxels);

/// How the samples change with their places along an axis: minus the derivative of center_waves times these weights, as weights of
/// waves again. `columns` are weights in any real columns.
Eigen::MatrixXd moved_waves(int dim, const Eigen::MatrixXd& columns, Index grid, int axis);

/// A^H A, which depends on the difference of two voxels alone: sums over the samples are computed for each difference once.
class CenterGram {
 public:
  CenterGram(int dim, const CenterPlaces& places, Index grid);

  Matrix<double> of_voxels() const;
  Eigen::MatrixXd of_waves() const;

 private:
  // Coordinates of a voxel, in steps from the center.
  std::array<Index, 3> steps(Index voxel) const;
  // Sum of exp(2 pi i k.(a + sign b)) over the samples.
  std::complex<double> sum(const std::array<Index, 3>& a, Index sign, const std::array<Index, 3>& b) const;

  int dim_;
  Index grid_;
  Index voxels_;
  Matrix<double> sums_;  // [x, (z, y)] of each difference, x from 0 on
};

}  // namespace whorl::detail

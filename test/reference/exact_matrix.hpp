// The matrix of the exact transform and its norm, in double, from the definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/dense.hpp"
#include "whorl/core/array.hpp"

namespace whorl::test {

/// Columns are the images that unit data at each sample have in the adjoint transform: s exp(2 pi i k_j . r), pixels in
/// the order of memory. The conjugate transpose is the forward transform.
class ExactMatrix {
 public:
  ExactMatrix(const Array<double>& points, const Shape& image) : adjoint_(image.size(), points.extent(0)) {
    const auto k = points.view<2>();
    const int dim = image.rank();
    const double scale = 1 / std::sqrt(static_cast<double>(image.size()));
    for (Index j = 0; j < points.extent(0); ++j) {
      Eigen::VectorXcd column = Eigen::VectorXcd::Constant(1, scale);
      for (int axis = 0; axis < dim; ++axis) {  // z, y, x: each appended as the fastest
        const Index extent = image[axis];
        Eigen::VectorXcd longer(column.size() * extent);
        for (Index i = 0; i < extent; ++i) {
          const double turns = k(j, dim - 1 - axis) * static_cast<double>(i - extent / 2);
          const std::complex<double> phase = std::polar(1.0, 2 * std::numbers::pi * turns);
          for (Index before = 0; before < column.size(); ++before) longer[before * extent + i] = column[before] * phase;
        }
        column = std::move(longer);
      }
      adjoint_.col(j) = column;
    }
  }

  const Eigen::MatrixXcd& adjoint() const { return adjoint_; }

 private:
  Eigen::MatrixXcd adjoint_;
};

/// The largest singular value, from the eigenvalues of the smaller Gram matrix.
inline double spectral_norm(const Eigen::MatrixXcd& matrix) {
  // The solver reads the lower triangle alone.
  Eigen::MatrixXcd gram =
      Eigen::MatrixXcd::Zero(std::min(matrix.rows(), matrix.cols()), std::min(matrix.rows(), matrix.cols()));
  if (matrix.rows() < matrix.cols()) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(matrix);
  } else {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(matrix.adjoint());
  }
  return std::sqrt(std::max(0.0, eigenvalues(gram)[gram.rows() - 1]));
}

}  // namespace whorl::test

// Private: the sensitivities of one voxel from its Hermitian matrix, the last step of all coil map methods.
#pragma once

#include "calib/matrix_types.hpp"
#include "whorl/core/array.hpp"

namespace whorl::detail {

/// Largest eigenvalue and its eigenvector of many small Hermitian matrices, one after another, without allocation.
template <class Real>
class MapVoxel {
 public:
  /// `reference` is the virtual coil that sees the phase 0.
  explicit MapVoxel(const Vector<Real>& reference)
      : reference_(reference),
        matrix_(reference.size(), reference.size()),
        solver_(Matrix<Real>::Identity(reference.size(), reference.size())) {}

  /// The matrix of the next voxel, to be written. Only its lower triangle is read.
  Matrix<Real>& matrix() { return matrix_; }

  /// Largest eigenvalue; `vector()` is its eigenvector, of norm 1 and with the phase of the reference taken out. 0
  /// where the matrix is zero.
  Real compute() {
    solver_.compute(matrix_);
    const Eigen::Index last = matrix_.rows() - 1;
    vector_ = solver_.eigenvectors().col(last);
    const std::complex<Real> seen = reference_.dot(vector_);
    if (seen != std::complex<Real>(0)) vector_ *= std::conj(seen) / std::abs(seen);
    return solver_.eigenvalues()(last);
  }
  const Vector<Real>& vector() const { return vector_; }

 private:
  Vector<Real> reference_;
  Matrix<Real> matrix_;
  Vector<Real> vector_;
  Eigen::SelfAdjointEigenSolver<Matrix<Real>> solver_;
};

/// The virtual coil with the most signal: the dominant eigenvector of a Gram matrix of the coils.
template <class Real>
Vector<Real> reference_coil(const Matrix<double>& gram) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(gram);
  return eigen.eigenvectors().col(gram.rows() - 1).template cast<std::complex<Real>>();
}

/// Position of (row, column), row >= column, in a lower triangle stored row by row.
inline Index pair_index(Index row, Index column) { return row * (row + 1) / 2 + column; }

}  // namespace whorl::detail

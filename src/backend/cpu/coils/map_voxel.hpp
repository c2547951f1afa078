// The sensitivities of one voxel from its Hermitian matrix, the last step of all coil map methods.
#pragma once

#include <vector>

#include "math/matrix_types.hpp"

namespace whorl::backend::cpu {

/// Largest eigenvalue and its eigenvector of many small Hermitian matrices, one after another, without allocation.
template <class Real>
class MapVoxel {
 public:
  using Matrix = detail::Matrix<Real>;
  using Vector = detail::Vector<Real>;

  /// `reference` is the virtual coil that sees the phase 0.
  explicit MapVoxel(const std::vector<std::complex<Real>>& reference)
      : reference_(Eigen::Map<const Vector>(reference.data(), static_cast<Eigen::Index>(reference.size()))),
        matrix_(reference_.size(), reference_.size()),
        solver_(Matrix::Identity(reference_.size(), reference_.size())) {}

  /// The matrix of the next voxel, to be written. Only its lower triangle is read.
  Matrix& matrix() { return matrix_; }

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
  const Vector& vector() const { return vector_; }

 private:
  Vector reference_;
  Matrix matrix_;
  Vector vector_;
  Eigen::SelfAdjointEigenSolver<Matrix> solver_;
};

}  // namespace whorl::backend::cpu

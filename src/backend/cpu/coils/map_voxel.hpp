// The sensitivities of one voxel from its Hermitian matrix, the last step of all coil map methods.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/matrix_types.hpp"
#include "math/tridiagonal_eigen.hpp"

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
        tridiagonal_(Matrix::Identity(reference_.size(), reference_.size())),
        values_(reference_.size()),
        below_(reference_.size()),
        unit_(reference_.size()),
        nearest_(reference_.size()) {}

  /// The matrix of the next voxel, to be written. Only its lower triangle is read.
  Matrix& matrix() { return matrix_; }

  /// Largest eigenvalue; `vector()` is its eigenvector, of norm 1, whose inner product with the reference has phase 0. 0
  /// if the matrix is zero.
  Real compute() {
    const Real scale = largest_element();
    matrix_ /= scale > 0 ? scale : 1;  // squares of its elements stay within range
    tridiagonal_.compute(matrix_);
    const Eigen::Index size = matrix_.rows();
    values_ = tridiagonal_.diagonal();
    below_.head(size - 1) = tridiagonal_.subDiagonal();
    const auto count = static_cast<std::size_t>(size);
    eigen_.compute({values_.data(), count}, {below_.data(), count}, [] {});
    const Real eigenvalue = values_.maxCoeff();
    take_vector(eigenvalue);
    const std::complex<Real> seen = reference_.dot(vector_);
    if (seen != std::complex<Real>(0)) vector_ *= std::conj(seen) / std::abs(seen);
    return scale * eigenvalue;
  }
  const Vector& vector() const { return vector_; }

 private:
  // The largest real or imaginary part in the lower triangle. Squares could underflow.
  Real largest_element() const {
    Real largest = 0;
    for (Eigen::Index column = 0; column < matrix_.cols(); ++column) {
      for (Eigen::Index row = column; row < matrix_.rows(); ++row) {
        const std::complex<Real> value = matrix_(row, column);
        largest = std::max({largest, std::abs(value.real()), std::abs(value.imag())});
      }
    }
    return largest;
  }

  // The eigenvector of the largest eigenvalue. If noise fills the calibration region, several eigenvectors share it to
  // rounding (Golub, Van Loan, 8.1: size times epsilon), and any combination of them is one. The combination nearest to the
  // reference is smooth in space.
  void take_vector(Real largest) {
    const Real rounding = static_cast<Real>(4 * values_.size()) * std::numeric_limits<Real>::epsilon();
    nearest_.setZero();
    int count = 0;
    for (Eigen::Index i = 0; i < values_.size(); ++i) {
      if (!(values_(i) >= largest - rounding * std::abs(largest))) continue;
      make_vector(i);
      nearest_ += vector_ * vector_.dot(reference_);
      ++count;
    }
    const Real norm = nearest_.norm();
    if (count > 1 && norm > 0) vector_ = nearest_ / norm;
  }

  void make_vector(Eigen::Index i) {
    unit_.setZero();
    unit_(i) = 1;
    eigen_.template to_eigenvectors<1>(unit_.data());
    vector_ = unit_.template cast<std::complex<Real>>();
    reflect_back();
  }

  // Turns the vector of the tridiagonal matrix into that of the original matrix: applies the reflections, the last one first.
  void reflect_back() {
    const auto& reflections = tridiagonal_.packedMatrix();
    const Eigen::Index size = reflections.rows();
    for (Eigen::Index i = size - 2; i >= 0; --i) {
      const auto essential = reflections.col(i).tail(size - i - 2);
      auto rest = vector_.tail(size - i - 2);
      const std::complex<Real> part =
          std::conj(tridiagonal_.householderCoefficients()(i)) * (vector_(i + 1) + essential.dot(rest));
      vector_(i + 1) -= part;
      rest -= part * essential;
    }
  }

  Vector reference_;
  Matrix matrix_;
  Vector vector_;
  Eigen::Tridiagonalization<Matrix> tridiagonal_;
  detail::TridiagonalEigen<Real> eigen_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> values_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> below_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> unit_;
  Vector nearest_;
};

}  // namespace whorl::backend::cpu

// Small dense systems as functions for the solvers.
#pragma once

#include "support/dense.hpp"
#include "whorl/core/random.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::test {

using Matrix = DenseMatrix;
using Vector = DenseVector;

/// G^H G for a random G of the given shape: Hermitian, positive semi-definite, of rank min(rows, columns).
inline Matrix random_normal_matrix(Index rows, Index columns) {
  Matrix G(rows, columns);
  for (Index i = 0; i < G.size(); ++i) {
    G.data()[i] = {random_normal(3, static_cast<std::uint64_t>(i)), random_normal(4, static_cast<std::uint64_t>(i))};
  }
  return G.adjoint() * G;
}

inline NormalFunction<double> as_function(const Matrix& A) {
  return [&A](const Context&, ArrayRef<const std::complex<double>> x, ArrayRef<std::complex<double>> z) {
    Eigen::Map<Vector>(z.data(), z.size()) = A * Eigen::Map<const Vector>(x.data(), x.size());
  };
}

}  // namespace whorl::test

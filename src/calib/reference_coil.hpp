// Private: the virtual coil that sets the common phase of coil maps.
#pragma once

#include <vector>

#include "math/matrix_types.hpp"

namespace whorl::detail {

/// The virtual coil with the most signal: the dominant eigenvector of a Gram matrix of the coils.
template <class Real>
std::vector<std::complex<Real>> reference_coil(const Matrix<double>& gram) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(gram);
  const Vector<Real> coil = eigen.eigenvectors().col(gram.rows() - 1).template cast<std::complex<Real>>();
  return {coil.begin(), coil.end()};
}

}  // namespace whorl::detail

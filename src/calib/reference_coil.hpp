// Private: the virtual coil that sets the common phase of coil maps.
#pragma once

#include <vector>

#include "math/decompositions.hpp"

namespace whorl::detail {

/// The virtual coil with the most signal: the dominant eigenvector of a Gram matrix of the coils.
template <class Real>
std::vector<std::complex<Real>> reference_coil(const Matrix<double>& gram) {
  const Vector<Real> coil = eigenpairs(gram).vectors.col(gram.rows() - 1).cast<std::complex<Real>>();
  return {coil.begin(), coil.end()};
}

}  // namespace whorl::detail

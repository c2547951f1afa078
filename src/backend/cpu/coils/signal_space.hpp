// The space that the patches of ESPIRiT's calibration region span.
#pragma once

#include "math/matrix_types.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

struct LeadingEigenvectors {
  detail::Matrix<double> vectors;  ///< in columns, orthonormal, in the order of the values
  Eigen::VectorXd values;          ///< falling
};

/// The eigenvectors of a Hermitian matrix without negative eigenvalues whose eigenvalues are at least `limit` times the
/// largest one. Only the lower triangle of the matrix is read; it is destroyed.
///
/// Householder reflections make the matrix tridiagonal. One pass over the matrix applies a reflection and multiplies
/// the matrix by the vector of the next one. Only the wanted eigenvectors of the tridiagonal matrix are transformed
/// back. The sums do not depend on the number of threads.
///
/// Accuracy  eigenvalues to rounding of the largest eigenvalue; the space of the vectors to this over the gap of the
///           eigenvalues at the limit
/// Progress  one stage; Cancelled is thrown between its steps
/// Source    Golub, Van Loan, Matrix Computations, 4th edition (2013), 8.3
LeadingEigenvectors leading_eigenvectors(const Context& ctx, detail::Matrix<double> matrix, double limit);

}  // namespace whorl::backend::cpu

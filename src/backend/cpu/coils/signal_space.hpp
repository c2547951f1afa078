// The space that the patches of ESPIRiT's calibration region span.
#pragma once

#include "math/matrix_types.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

struct LeadingEigenvectors {
  detail::Matrix<double> vectors;  ///< in columns, orthonormal, in the order of the values
  Eigen::VectorXd values;          ///< falling
};

/// Eigenvectors of a Hermitian matrix without negative eigenvalues, those of at least `limit` times the largest one.
/// Only the lower triangle of the matrix is read; it is destroyed.
///
/// The matrix becomes tridiagonal by Householder reflections; each of them is applied to it, and the matrix multiplied by
/// the next one's vector, in one pass over it. The eigenvectors of the tridiagonal matrix that are wanted, and no others,
/// are transformed back. The sums do not depend on the number of threads.
///
/// Accuracy  eigenvalues, and the space of the vectors relative to the gap at the limit, to rounding of the largest
///           eigenvalue
/// Progress  one stage; Cancelled is thrown between its steps
/// Source    Golub, Van Loan, Matrix Computations, 4th edition (2013), 8.3
LeadingEigenvectors leading_eigenvectors(const Context& ctx, detail::Matrix<double> matrix, double limit);

}  // namespace whorl::backend::cpu

// Decompositions of dense matrices, for what tests expect. Eigen compiles them slowly, so they are compiled once.
#pragma once

#include <Eigen/Core>

namespace whorl::test {

using DenseMatrix = Eigen::MatrixXcd;
using DenseVector = Eigen::VectorXcd;

/// Eigenvalues of a Hermitian matrix, rising; the lower triangle is read.
Eigen::VectorXd eigenvalues(const DenseMatrix& hermitian);
/// The eigenvectors in that order, in columns.
DenseMatrix eigenvectors(const DenseMatrix& hermitian);

/// Falling.
Eigen::VectorXd singular_values(const DenseMatrix& matrix);

DenseMatrix inverse(const DenseMatrix& matrix);

/// A^-1 B for a Hermitian A.
DenseMatrix solve_hermitian(const DenseMatrix& a, const DenseMatrix& b);

/// The X of least |A X - B|, for an A with no fewer rows than columns, and independent ones.
DenseMatrix least_squares(const DenseMatrix& a, const DenseMatrix& b);

/// [rows, rows]: the first columns span those of the matrix.
DenseMatrix orthonormal_basis(const DenseMatrix& matrix);

}  // namespace whorl::test

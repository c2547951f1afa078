#include "support/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace whorl::test {

Eigen::VectorXd eigenvalues(const DenseMatrix& hermitian) {
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(hermitian, Eigen::EigenvaluesOnly).eigenvalues();
}

DenseMatrix eigenvectors(const DenseMatrix& hermitian) {
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(hermitian).eigenvectors();
}

Eigen::VectorXd singular_values(const DenseMatrix& matrix) {
  return Eigen::JacobiSVD<DenseMatrix>(matrix).singularValues();
}

DenseMatrix inverse(const DenseMatrix& matrix) { return matrix.inverse(); }

DenseMatrix solve_hermitian(const DenseMatrix& a, const DenseMatrix& b) { return a.ldlt().solve(b); }

DenseMatrix least_squares(const DenseMatrix& a, const DenseMatrix& b) { return a.householderQr().solve(b); }

DenseMatrix orthonormal_basis(const DenseMatrix& matrix) {
  return Eigen::HouseholderQR<DenseMatrix>(matrix).householderQ();
}

}  // namespace whorl::test

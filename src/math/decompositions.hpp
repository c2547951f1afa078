// Private: decompositions of dense matrices in double. Eigen compiles them slowly, so they are compiled here once.
#pragma once

#include <optional>

#include "math/matrix_types.hpp"

namespace whorl::detail {

/// Eigenvalues of a Hermitian matrix, rising, and its eigenvectors in columns, orthonormal.
template <class DenseMatrix>
struct Eigenpairs {
  Eigen::VectorXd values;
  DenseMatrix vectors;
};

/// Eigenpairs of a matrix [n, n] that equals its adjoint; the lower triangle is read. Backward stable: values are exact to some
/// roundings of the largest one. Real matrices give real vectors.
Eigenpairs<Eigen::MatrixXd> eigenpairs(const Eigen::MatrixXd& hermitian);
Eigenpairs<Matrix<double>> eigenpairs(const Matrix<double>& hermitian);

/// The values alone, several times faster.
Eigen::VectorXd eigenvalues(const Matrix<double>& hermitian);

/// Eigenpairs of the matrix with this diagonal and `below` beside it, one element shorter.
Eigenpairs<Eigen::MatrixXd> tridiagonal_eigenpairs(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& below);

/// L, lower triangular, with L L^H = A. Empty unless A [n, n] is positive definite; A's lower triangle is read.
std::optional<Matrix<double>> cholesky(const Matrix<double>& hermitian);
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& hermitian);

/// L^-1, empty likewise.
std::optional<Matrix<double>> inverse_cholesky(const Matrix<double>& hermitian);

/// A^-1 B for a positive definite A [n, n], by Cholesky's decomposition.
Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// A^-1 B for a semidefinite A that equals its adjoint, by L D L^H with pivoting.
Eigen::MatrixXd solve_semidefinite(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Matrix<double> solve_semidefinite(const Matrix<double>& a, const Matrix<double>& b);

/// The shortest x of those that minimize |A x - b|, by a complete orthogonal decomposition.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace whorl::detail

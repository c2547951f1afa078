#include "math/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "math/column_product.hpp"

namespace whorl::detail {

namespace {

template <class DenseMatrix>
Eigenpairs<DenseMatrix> pairs_of(const DenseMatrix& hermitian) {
  const Eigen::SelfAdjointEigenSolver<DenseMatrix> solver(hermitian);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

template <class DenseMatrix>
std::optional<DenseMatrix> factor_of(const DenseMatrix& hermitian) {
  const Eigen::LLT<DenseMatrix> decomposition(hermitian);
  if (decomposition.info() != Eigen::Success) return std::nullopt;
  return DenseMatrix(decomposition.matrixL());
}

}  // namespace

Eigenpairs<Eigen::MatrixXd> eigenpairs(const Eigen::MatrixXd& hermitian) { return pairs_of(hermitian); }

Eigenpairs<Matrix<double>> eigenpairs(const Matrix<double>& hermitian) { return pairs_of(hermitian); }

Eigen::VectorXd eigenvalues(const Matrix<double>& hermitian) {
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(hermitian, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigenpairs<Eigen::MatrixXd> tridiagonal_eigenpairs(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& below) {
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, below);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<Matrix<double>> cholesky(const Matrix<double>& hermitian) { return factor_of(hermitian); }

// Block by block of rows of U = L^T, whose columns lie as their products are fast.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& hermitian) {
  constexpr Eigen::Index block = 48;
  const Eigen::Index n = hermitian.rows();
  Eigen::MatrixXd upper = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index first = 0; first < n; first += block) {
    const Eigen::Index count = std::min(block, n - first);
    const Eigen::Index rest = n - first;
    Eigen::MatrixXd rows = hermitian.block(first, first, rest, count).transpose();
    if (first > 0) rows -= column_product(upper.block(0, first, first, count), upper.block(0, first, first, rest));
    // The products of a pair are equal in both orders, but above the diagonal nothing was read.
    const Eigen::MatrixXd square = rows.leftCols(count).transpose();
    const std::optional<Eigen::MatrixXd> lower = factor_of(square);
    if (!lower) return std::nullopt;
    upper.block(first, first, count, count) = lower->transpose();
    upper.block(first, first + count, count, rest - count) =
        lower->triangularView<Eigen::Lower>().solve(rows.rightCols(rest - count));
  }
  return Eigen::MatrixXd(upper.transpose());
}

std::optional<Matrix<double>> inverse_cholesky(const Matrix<double>& hermitian) {
  const std::optional<Matrix<double>> lower = cholesky(hermitian);
  if (!lower) return std::nullopt;
  const Eigen::Index n = lower->rows();
  return Matrix<double>(lower->triangularView<Eigen::Lower>().solve(Matrix<double>::Identity(n, n)));
}

Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a.llt().solve(b); }

Eigen::MatrixXd solve_semidefinite(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a.ldlt().solve(b); }

Matrix<double> solve_semidefinite(const Matrix<double>& a, const Matrix<double>& b) { return a.ldlt().solve(b); }

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

}  // namespace whorl::detail

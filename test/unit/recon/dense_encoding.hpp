// A small encoding by coils and samples at random as a dense matrix, from its definition, and what follows from it.
#pragma once

#include <cmath>
#include <numbers>

#include "support/dense.hpp"
#include "whorl/core/random.hpp"
#include "whorl/op/linear_operator.hpp"

namespace whorl::test {

/// A matrix as an operator on arrays of a shape; its normal operator is the product of matrices.
class DenseOperator final : public LinearOperator<double> {
 public:
  DenseOperator(DenseMatrix matrix, const Shape& domain)
      : LinearOperator<double>(domain, {matrix.rows()}),
        matrix_(std::move(matrix)),
        normal_(matrix_.adjoint() * matrix_) {}

  const DenseMatrix& matrix() const { return matrix_; }
  const DenseMatrix& normal_matrix() const { return normal_; }

 protected:
  void do_normal(const Context& /*ctx*/, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    as_vector(z) = normal_ * as_vector(x);
  }

 private:
  static Eigen::Map<const DenseVector> as_vector(ArrayRef<const Complex> x) { return {x.data(), x.size()}; }
  static Eigen::Map<DenseVector> as_vector(ArrayRef<Complex> x) { return {x.data(), x.size()}; }

  void do_forward(const Context& /*ctx*/, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    as_vector(y) = matrix_ * as_vector(x);
  }
  void do_adjoint(const Context& /*ctx*/, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    as_vector(x) = matrix_.adjoint() * as_vector(y);
  }

  DenseMatrix matrix_;
  DenseMatrix normal_;
};

/// Coil sensitivities [coil, voxel] of no particular scale.
inline DenseMatrix random_maps(Index coils, Index voxels) {
  DenseMatrix maps(coils, voxels);
  for (Index i = 0; i < maps.size(); ++i) {
    maps.data()[i] = {random_normal(11, static_cast<std::uint64_t>(i)),
                      random_normal(12, static_cast<std::uint64_t>(i))};
  }
  return maps;
}

/// Rows [coil, sample], columns [y, x]: s_c(r) exp(-2 pi i k_j . r) / sqrt(voxels), points k in the columns x, y.
inline DenseMatrix dense_encoding(const std::vector<std::array<double, 2>>& points, Index ny, Index nx,
                                  const DenseMatrix& maps) {
  const auto samples = static_cast<Index>(points.size());
  DenseMatrix A(maps.rows() * samples, ny * nx);
  for (Index c = 0; c < maps.rows(); ++c) {
    for (Index j = 0; j < samples; ++j) {
      const auto& k = points[static_cast<std::size_t>(j)];
      for (Index y = 0; y < ny; ++y) {
        for (Index x = 0; x < nx; ++x) {
          const double turns = k[0] * static_cast<double>(x - nx / 2) + k[1] * static_cast<double>(y - ny / 2);
          A(c * samples + j, y * nx + x) = maps(c, y * nx + x) * std::polar(1 / std::sqrt(static_cast<double>(ny * nx)),
                                                                            -2 * std::numbers::pi * turns);
        }
      }
    }
  }
  return A;
}

inline std::vector<std::array<double, 2>> random_positions(Index samples) {
  std::vector<std::array<double, 2>> points;
  for (Index j = 0; j < samples; ++j) {
    points.push_back({random_uniform(21, static_cast<std::uint64_t>(j)) - 0.5,
                      random_uniform(22, static_cast<std::uint64_t>(j)) - 0.5});
  }
  return points;
}

/// First differences along x and y of an image, over sqrt(8): of norm 1 at most, since each of the two axes has
/// eigenvalues of 4 at most.
inline DenseMatrix dense_differences(Index ny, Index nx) {
  DenseMatrix W = DenseMatrix::Zero(2 * ny * nx, ny * nx);
  for (Index y = 0; y < ny; ++y) {
    for (Index x = 0; x < nx; ++x) {
      const Index i = y * nx + x;
      if (x + 1 < nx) {
        W(2 * i, i) = -1;
        W(2 * i, i + 1) = 1;
      }
      if (y + 1 < ny) {
        W(2 * i + 1, i) = -1;
        W(2 * i + 1, i + nx) = 1;
      }
    }
  }
  return W / std::sqrt(8.0);
}

/// H = A^H A / s + lambda W^H W, W the identity where there is none.
inline DenseMatrix dense_normal(const DenseMatrix& A, double s, double lambda, const DenseMatrix* W = nullptr) {
  const DenseMatrix penalty =
      W == nullptr ? DenseMatrix(DenseMatrix::Identity(A.cols(), A.cols())) : DenseMatrix(W->adjoint() * *W);
  return A.adjoint() * A / s + lambda * penalty;
}

/// The covariance of the image, H^-1 (A^H A / s^2) H^-1.
inline DenseMatrix dense_covariance(const DenseMatrix& A, double s, double lambda, const DenseMatrix* W = nullptr) {
  const DenseMatrix inverse = test::inverse(dense_normal(A, s, lambda, W));
  return inverse * (A.adjoint() * A / (s * s)) * inverse;
}

inline double largest_normal_eigenvalue(const DenseMatrix& A) { return eigenvalues(A.adjoint() * A).maxCoeff(); }

}  // namespace whorl::test

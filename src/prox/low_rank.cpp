#include "whorl/prox/low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/channels.hpp"
#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

Shape checked_series(const Shape& shape) {
  if (shape.rank() < 2 || shape.size() == 0) {
    throw ShapeError(fmt::format("low rank: a series of shape {}, expected [image, ...]", to_string(shape)));
  }
  return shape;
}

// X X^H of the series X [image, pixel]. Images are the kernel's channels. Its eigenvalues are the squares of the singular
// values.
template <class Real>
detail::Matrix<double> gram_of_images(const Context& ctx, ArrayRef<const std::complex<Real>> x) {
  const Index images = x.extent(0);
  detail::RowMajorMatrix<double> gram(images, images);
  kernels::gram_of_channels<Real>(ctx, images, x.size() / images, x.data(), {}, gram.data());
  return gram;
}

// How many singular values there are. Further eigenvalues, the first ones, are only rounding.
template <class Real>
Index rank_of(ArrayRef<const std::complex<Real>> x) {
  return std::min(x.extent(0), x.size() / x.extent(0));
}

}  // namespace

template <class Real>
LowRank<Real>::LowRank(const Shape& shape) : ProximalFunction<Real>(checked_series(shape), "low rank") {}

template <class Real>
double LowRank<Real>::do_value(const Context& ctx, ArrayRef<const Complex> x) const {
  const Eigen::VectorXd squares = detail::eigenvalues(gram_of_images<Real>(ctx, x));
  return squares.tail(rank_of<Real>(x)).cwiseMax(0).cwiseSqrt().sum();
}

template <class Real>
void LowRank<Real>::do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  static_cast<void>(do_prox_and_value(ctx, step, x, pass));
}

// U S V^H becomes U f(S) V^H, which is U f(S)/S U^H times it.
template <class Real>
double LowRank<Real>::do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index) const {
  const auto [squares, vectors] = detail::eigenpairs(gram_of_images<Real>(ctx, x));
  Eigen::VectorXd factors = squares;
  factors.head(factors.size() - rank_of<Real>(x)).setZero();
  double value = 0;
  for (double& factor : factors) {
    const double singular = std::sqrt(std::max(factor, 0.0));
    factor = singular > step ? 1 - step / singular : 0;
    value += factor * singular;
  }
  const detail::RowMajorMatrix<double> matrix = vectors * factors.asDiagonal() * vectors.adjoint();
  const Array<Complex> old = clone<Complex>(ctx, x);
  const Index images = x.extent(0);
  kernels::apply_channel_matrix<Real>(ctx, images, images, x.size() / images, matrix.data(), old.data(), x.data());
  return value;
}

template class LowRank<float>;
template class LowRank<double>;

}  // namespace whorl

// The recurrence of Lanczos: a Hermitian operator on the Krylov space of a start is a tridiagonal matrix.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string_view>
#include <utility>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::detail {

template <class Real>
class Lanczos {
 public:
  using Complex = std::complex<Real>;

  /// The start must not be zero.
  Lanczos(const Context& ctx, Array<Complex> start)
      : v_(std::move(start)),
        before_(zeros<Complex>(ctx, v_.shape())),
        image_(ctx, v_.shape()),
        start_norm_(norm<Real>(ctx, v_)) {
    axpby<Real>(ctx, 1 / start_norm_, v_, 0, v_);
  }

  /// One more row of the matrix. Throws ValueError where the operator gives a number that is not finite.
  void step(const Context& ctx, const NormalFunction<Real>& A, std::string_view operation) {
    if (!beta_.empty()) {
      axpby<Real>(ctx, 1 / beta_.back(), image_, 0, before_);
      std::swap(before_, v_);
    }
    A(ctx, v_, image_);
    if (!beta_.empty()) axpby<Real>(ctx, -beta_.back(), before_, 1, image_);
    const double alpha = dot<Real>(ctx, v_, image_).real();
    axpby<Real>(ctx, -alpha, v_, 1, image_);
    const double beta = norm<Real>(ctx, image_);
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
      throw ValueError(
          fmt::format("{}: the operator gave a number that is not finite in application {}; expected finite ones",
                      operation, alpha_.size() + 1));
    }
    alpha_.push_back(alpha);
    beta_.push_back(beta);
  }

  double start_norm() const { return start_norm_; }
  /// The diagonal, and what is beside it. beta has one element more than the matrix: the norm of the remainder, 0 if the
  /// Krylov space is complete.
  const std::vector<double>& alpha() const { return alpha_; }
  const std::vector<double>& beta() const { return beta_; }

 private:
  Array<Complex> v_;
  Array<Complex> before_;
  Array<Complex> image_;
  double start_norm_;
  std::vector<double> alpha_;
  std::vector<double> beta_;
};

}  // namespace whorl::detail

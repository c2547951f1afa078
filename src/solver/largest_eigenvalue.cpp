#include "whorl/solver/largest_eigenvalue.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "math/decompositions.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

constexpr double constant_part = 0.1;  // of the start, beside noise of E|x|^2 = 1
constexpr double excluded = 1.05;      // eigenvalues above this many theta are looked for
constexpr double least_part = 0.01;    // |<x, v>|^2 of noise is below it with a probability of 1 - exp(-0.01)

// A on the Krylov space: alpha on the diagonal, beta beside it. beta has one element more than the matrix: the norm of
// the remainder of the last step.
class Tridiagonal {
 public:
  explicit Tridiagonal(double energy_of_start) : energy_(energy_of_start) {}

  void add(double alpha, double beta) {
    alpha_.push_back(alpha);
    beta_.push_back(beta);
  }

  double beta() const { return beta_.back(); }

  LargestEigenvalue largest() const {
    const auto n = static_cast<Eigen::Index>(alpha_.size());
    const auto [values, vectors] = detail::tridiagonal_eigenpairs(
        Eigen::Map<const Eigen::VectorXd>(alpha_.data(), n), Eigen::Map<const Eigen::VectorXd>(beta_.data(), n - 1));
    return {values[n - 1], beta() * std::abs(vectors(n - 1, n - 1)), static_cast<int>(n)};
  }

  // Would the recurrence show an eigenvalue at z or above, if noise has `least_part` along its vector? The polynomials
  // grow beyond the largest eigenvalue of the matrix, so z stands for all values above it.
  bool excludes(double z) const {
    const double enough = energy_ / least_part;
    double before = 0;
    double last = 1;
    double sum = 1;
    for (std::size_t j = 0; j < alpha_.size() && sum < enough; ++j) {
      const double next = ((z - alpha_[j]) * last - (j == 0 ? 0 : beta_[j - 1]) * before) / beta_[j];
      before = std::exchange(last, next);
      sum += next * next;
    }
    return sum >= enough;
  }

 private:
  double energy_;
  std::vector<double> alpha_;
  std::vector<double> beta_;
};

template <class Real>
Array<std::complex<Real>> random_start(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  using Complex = std::complex<Real>;
  Array<Complex> start(ctx, shape);
  fill_random_normal<Real>(ctx, start, seed);
  Array<Complex> constant(ctx, shape);
  fill(ctx, constant, Complex(1));
  axpby<Real>(ctx, constant_part, constant, 1, start);
  return start;
}

void check(const LargestEigenvalueOptions& options, const Shape& shape) {
  if (!(options.tolerance > 0) || options.iterations < 1) {
    throw ValueError(fmt::format("largest eigenvalue: tolerance {}, {} iterations; expected more than 0 and at least 1",
                                 options.tolerance, options.iterations));
  }
  if (shape.size() == 0) {
    throw ValueError(
        fmt::format("largest eigenvalue: arrays of shape {}, expected at least one element", to_string(shape)));
  }
}

}  // namespace

template <Precision Real>
LargestEigenvalue largest_eigenvalue(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                     const Shape& shape, const LargestEigenvalueOptions& options) {
  using Complex = std::complex<Real>;
  check(options, shape);
  Array<Complex> v = random_start<Real>(ctx, shape, options.seed);
  const double start = norm<Real>(ctx, v);
  axpby<Real>(ctx, 1 / start, v, 0, v);
  Array<Complex> before = zeros<Complex>(ctx, shape);
  Array<Complex> image(ctx, shape);
  Tridiagonal matrix(start * start);
  LargestEigenvalue found;
  while (found.iterations < options.iterations) {
    A(ctx, v, image);
    if (found.iterations > 0) axpby<Real>(ctx, -matrix.beta(), before, 1, image);
    const double alpha = dot<Real>(ctx, v, image).real();
    axpby<Real>(ctx, -alpha, v, 1, image);
    const double beta = norm<Real>(ctx, image);
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
      throw ValueError(fmt::format(
          "largest eigenvalue: the operator gave a number that is not finite in application {}; expected finite ones",
          found.iterations + 1));
    }
    matrix.add(alpha, beta);
    found = matrix.largest();
    // beta = 0: the Krylov space is complete.
    if (beta == 0 || (found.residual <= options.tolerance * found.value && matrix.excludes(excluded * found.value)))
      break;
    axpby<Real>(ctx, 1 / beta, image, 0, before);
    std::swap(before, v);
  }
  if (!(found.value > 0)) {
    throw ValueError(fmt::format(
        "largest eigenvalue: {} for a random start; the operator is zero, expected one that is not", found.value));
  }
  return found;
}

template LargestEigenvalue largest_eigenvalue<float>(const Context&, const NormalFunction<float>&, const Shape&,
                                                     const LargestEigenvalueOptions&);
template LargestEigenvalue largest_eigenvalue<double>(const Context&, const NormalFunction<double>&, const Shape&,
                                                      const LargestEigenvalueOptions&);

}  // namespace whorl

#include "whorl/solver/largest_eigenvalue.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "math/decompositions.hpp"
#include "solver/lanczos.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

constexpr double constant_part = 0.1;  // of the start, beside noise of E|x|^2 = 1
constexpr double excluded = 1.05;      // eigenvalues above this many theta are looked for
constexpr double least_part = 0.01;    // |<x, v>|^2 of noise is below it with a probability of 1 - exp(-0.01)

LargestEigenvalue largest(const std::vector<double>& alpha, const std::vector<double>& beta) {
  const auto n = static_cast<Eigen::Index>(alpha.size());
  const auto [values, vectors] = detail::tridiagonal_eigenpairs(Eigen::Map<const Eigen::VectorXd>(alpha.data(), n),
                                                                Eigen::Map<const Eigen::VectorXd>(beta.data(), n - 1));
  return {values[n - 1], beta.back() * std::abs(vectors(n - 1, n - 1)), static_cast<int>(n)};
}

// Would the recurrence show an eigenvalue at z or above, if noise has `least_part` along its vector? The polynomials
// grow beyond the largest eigenvalue of the matrix, so z stands for all values above it.
bool excludes(const std::vector<double>& alpha, const std::vector<double>& beta, double energy_of_start, double z) {
  const double enough = energy_of_start / least_part;
  double before = 0;
  double last = 1;
  double sum = 1;
  for (std::size_t j = 0; j < alpha.size() && sum < enough; ++j) {
    const double next = ((z - alpha[j]) * last - (j == 0 ? 0 : beta[j - 1]) * before) / beta[j];
    before = std::exchange(last, next);
    sum += next * next;
  }
  return sum >= enough;
}

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
  check(options, shape);
  detail::Lanczos<Real> lanczos(ctx, random_start<Real>(ctx, shape, options.seed));
  const double energy = lanczos.start_norm() * lanczos.start_norm();
  LargestEigenvalue found;
  while (found.iterations < options.iterations) {
    lanczos.step(ctx, A, "largest eigenvalue");
    found = largest(lanczos.alpha(), lanczos.beta());
    if (lanczos.beta().back() == 0 || (found.residual <= options.tolerance * found.value &&
                                       excludes(lanczos.alpha(), lanczos.beta(), energy, excluded * found.value))) {
      break;
    }
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

#include "bench/parity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <regex>
#include <utility>

#include "whorl/core/array.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/laps.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/linear_operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl::bench {

namespace {

std::regex pattern_of(const std::string& expression) {
  try {
    return std::regex(expression);
  } catch (const std::regex_error& error) {
    throw ValueError(fmt::format("check: '{}' is not a regular expression: {}", expression, error.what()));
  }
}

template <class Real>
using Complex = std::complex<Real>;

template <class Real>
Array<Complex<Real>> random_array(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<Complex<Real>> array(ctx.host(), shape);
  fill_random_normal<Real>(array, seed);
  return clone<Complex<Real>>(ctx, array);
}

// ||a - b|| / ||b||
template <class Real>
double difference(const Context& ctx, ArrayRef<const Complex<Real>> a, ArrayRef<const Complex<Real>> b) {
  const Array<Complex<Real>> here = to_host<const Complex<Real>>(ctx, a);
  double square = 0;
  double total = 0;
  for (Index i = 0; i < b.size(); ++i) {
    square += std::norm(Complex<double>(here.data()[i]) - Complex<double>(b.data()[i]));
    total += std::norm(Complex<double>(b.data()[i]));
  }
  return std::sqrt(square / total);
}

double median_ms(const Context& ctx, const std::function<void()>& work) {
  constexpr int repetitions = 11;
  Laps laps(ctx);
  laps.mark();
  for (int i = 0; i < repetitions; ++i) {
    work();
    laps.mark();
  }
  std::vector<double> ms = laps.milliseconds();
  std::nth_element(ms.begin(), ms.begin() + repetitions / 2, ms.end());
  return ms[repetitions / 2];
}

// A kernel that takes arrays to an array: the same arrays on both devices, `terms` the longest sum of products in it. A
// sum of n products of random sign is off by some sqrt(n) roundings of a term, and so are both sides; 4 for the tail.
template <class Real>
Parity compare(const Context& ctx, double terms,
               const std::function<Array<Complex<Real>>(const Context&)>& prepare_and_run) {
  Parity parity;
  const Array<Complex<Real>> expected = prepare_and_run(ctx.host());
  const Array<Complex<Real>> found = prepare_and_run(ctx);
  parity.error = difference<Real>(ctx, found, expected);
  parity.allowed = 4 * std::sqrt(2 * terms) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  parity.median_ms = median_ms(ctx, [&] { prepare_and_run(ctx); });
  return parity;
}

// Both directions of an operator with its own inputs.
template <class Real>
Parity compare_operator(const Context& ctx, double terms,
                        const std::function<std::unique_ptr<LinearOperator<Real>>(const Context&)>& make,
                        bool forward) {
  return compare<Real>(ctx, terms, [&](const Context& where) {
    const auto op = make(where);
    const auto input = random_array<Real>(where, forward ? op->domain() : op->range(), 3);
    Array<Complex<Real>> output(where, forward ? op->range() : op->domain());
    forward ? op->forward(where, input, output) : op->adjoint(where, input, output);
    return output;
  });
}

template <class Real>
void add_checks(const std::string& precision, std::vector<KernelCheck>& checks) {
  const auto add = [&](const std::string& name, std::function<Parity(const Context&)> run) {
    checks.push_back({fmt::format("kernel/{}/{}", name, precision), std::move(run)});
  };
  const Shape shape{3, 37, 53};
  add("axpby", [=](const Context& ctx) {
    return compare<Real>(ctx, 1, [&](const Context& where) {
      const auto x = random_array<Real>(where, shape, 1);
      auto y = random_array<Real>(where, shape, 2);
      axpby<Real>(where, {0.25, -1}, x, {2, 0.5}, y);
      return y;
    });
  });
  add("dot", [=](const Context& ctx) {
    // Sums in double: what is left is their order.
    Parity parity = compare<Real>(ctx, 1, [&](const Context& where) {
      const auto x = random_array<Real>(where, shape, 1);
      Array<Complex<Real>> result(where.host(), {1});
      *result.data() = Complex<Real>(dot<Real>(where, x, x));
      return clone<Complex<Real>>(where, result);
    });
    return parity;
  });
  add("multiply_weights", [=](const Context& ctx) {
    return compare<Real>(ctx, 1, [&](const Context& where) {
      const auto x = random_array<Real>(where, shape, 1);
      Array<Real> host(where.host(), {shape[2]});
      for (Index i = 0; i < host.size(); ++i)
        host.data()[i] = static_cast<Real>(random_uniform(5, static_cast<std::uint64_t>(i)));
      const auto weights = clone<Real>(where, host);
      Array<Complex<Real>> y(where, shape);
      multiply_weights<Real>(where, weights, x, y);
      return y;
    });
  });
  add("fft", [=](const Context& ctx) {
    return compare<Real>(ctx, std::log2(60.0 * 36 * 50), [&](const Context& where) {
      auto x = random_array<Real>(where, {2, 60, 36, 50}, 1);
      make_fft_plan<Real>(where, {60, 36, 50})->execute(where, FftDirection::forward, x.data(), 2);
      return x;
    });
  });
  for (const bool forward : {true, false}) {
    const std::string direction = forward ? "forward" : "adjoint";
    add("sense/" + direction, [=](const Context& ctx) {
      return compare<Real>(ctx, 7, [&](const Context& where) {
        const auto maps = random_array<Real>(where, shape.with_front(7), 1);
        const Sense<Real> sense(maps);
        const auto input = random_array<Real>(where, forward ? sense.domain() : sense.range(), 2);
        Array<Complex<Real>> output(where, forward ? sense.range() : sense.domain());
        forward ? sense.forward(where, input, output) : sense.adjoint(where, input, output);
        return output;
      });
    });
    for (const int dim : {2, 3}) {
      for (const int width : {4, 7, 12}) {
        add(fmt::format("gridding/{}d/width-{}/{}", dim, width, direction), [=](const Context& ctx) {
          const double terms = std::pow(width, dim);
          return compare_operator<Real>(
              ctx, terms,
              [&](const Context& where) {
                const Trajectory trajectory = random_trajectory(where.host(), 3000, dim, RandomRegion::box, 7);
                const Shape grid = dim == 2 ? Shape{48, 50} : Shape{20, 24, 30};
                return std::make_unique<Gridding<Real>>(where, trajectory.points, grid,
                                                        Window(WindowKind::kaiser_bessel, width, 2), 3);
              },
              forward);
        });
      }
    }
  }
}

}  // namespace

std::vector<Case> parity_cases(const std::string& expression) {
  const std::regex pattern = pattern_of(expression);
  std::vector<Case> cases = cases_like("small-");
  std::erase_if(cases, [&](const Case& one) { return !std::regex_search(one.name(), pattern); });
  return cases;
}

double allowed_error(const Case& what) { return what.tolerance * (what.direction == Direction::normal ? 2 : 1); }

std::vector<KernelCheck> kernel_checks(const std::string& expression) {
  const std::regex pattern = pattern_of(expression);
  std::vector<KernelCheck> checks;
  add_checks<float>("float", checks);
  add_checks<double>("double", checks);
  std::erase_if(checks, [&](const KernelCheck& one) { return !std::regex_search(one.name, pattern); });
  return checks;
}

}  // namespace whorl::bench

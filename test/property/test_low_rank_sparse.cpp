// Low rank plus sparse: what its two parts cost, and that known parts are found.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/prox/low_rank_sparse.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Host = Array<Complex>;

// A series that does not change costs the same in each of the parts.
TEST(LowRankSparse, StillSeriesCostTheSameInBothParts) {
  const Context ctx = test::device_context();
  const Shape shape{4, 1, 5, 6};
  constexpr double balanced = 0.15;
  const LowRankSparse<double> g(shape, balanced);
  Host still(ctx.host(), shape);
  for (Index r = 0; r < still.size(); ++r) still.data()[r] = std::polar(1.0, 0.3 * static_cast<double>(r % 30));
  const auto x = clone<Complex>(ctx, still.ref());
  const auto none = zeros<Complex>(ctx, g.auxiliary());
  const auto all = clone<Complex>(ctx, x.ref().reshape(g.auxiliary()));
  // One singular value sqrt(30 4), times sqrt(30); one coefficient sqrt(4) of each pixel.
  const double cost = balanced * 60;
  EXPECT_NEAR(g.value(ctx, x, all), cost, 1e-12 * cost);
  // Singular values that are 0 are roots of rounding in double, 1e-8 each.
  EXPECT_NEAR(g.value(ctx, x, none), cost, 1e-6 * cost);
}

// The sum of a random series of rank 2 and one with few temporal frequencies, each at a random pixel, comes apart into these
// parts: the least cost of both is that of the true ones alone (Candes, Li, Ma, Wright, J ACM 58 (2011) 11, theorem 1.1).
TEST(LowRankSparse, FindsAKnownPartOfLowRankAndASparseOne) {
  const Context host;
  const Context ctx = test::device_context();
  const Shape shape{40, 1, 16, 20};
  const Index pixels = 320;
  const Host courses = test::random_array<double>(host, {2, shape[0]}, 1);
  const Host images = test::random_array<double>(host, {2, pixels}, 2);
  const Host heights = test::random_array<double>(host, {pixels * shape[0]}, 3);
  Host low_rank = zeros<Complex>(host, shape);
  Host sparse = zeros<Complex>(host, shape);
  for (Index r = 0; r < pixels; ++r) {
    for (Index t = 0; t < shape[0]; ++t) {
      for (Index k = 0; k < 2; ++k) {
        low_rank.data()[t * pixels + r] += courses.data()[k * shape[0] + t] * images.data()[k * pixels + r];
      }
    }
  }
  // One frequency in twenty of the pixels' spectra.
  for (Index n = 0; n < pixels * shape[0] / 20; ++n) {
    const double place = random_uniform(5, static_cast<std::uint64_t>(n));
    const auto at = static_cast<Index>(place * static_cast<double>(pixels * shape[0]));
    for (Index t = 0; t < shape[0]; ++t) {
      const double turns = static_cast<double>(at / pixels * t) / static_cast<double>(shape[0]);
      sparse.data()[t * pixels + at % pixels] += heights.data()[n] * std::polar(1.0, 2 * std::numbers::pi * turns);
    }
  }
  Host sum = clone<Complex>(host, low_rank.ref());
  axpby<double>(host, 1, sparse, 1, sum);
  const auto x = clone<Complex>(ctx, sum.ref());
  const LowRankSparse<double> g(shape, 1);
  const DualTerm<double> term{
      .range = g.range(),
      .norm = g.norm(),
      .step =
          [&](const Context& c, double sigma, Index, ArrayRef<const Complex> w, ArrayRef<Complex> y) {
            const DualStepSums sums = g.dual_step(c, sigma, x, w, y);
            return DualTerm<double>::Sums{sums.value, sums.change};
          },
      .add_adjoint =
          [&](const Context& c, ArrayRef<const Complex> y, ArrayRef<Complex> all) {
            Array<Complex> of_x = zeros<Complex>(c, g.domain());
            g.add_adjoint(c, y, of_x, all);
          },
      .add_normal = nullptr};
  const auto zero = zeros<Complex>(ctx, g.auxiliary());
  const QuadraticFunction<double> none{
      .H = [](const Context& c, ArrayRef<const Complex>, ArrayRef<Complex> q) { fill<Complex>(c, q, 0); },
      .b = zero,
      .largest = 1e-6};
  auto found = clone<Complex>(ctx, x.ref().reshape(g.auxiliary()));
  primal_dual<double>(ctx, none, {term}, found, PrimalDualOptions{{1500, 0}, 1.0});
  const auto truth = clone<Complex>(ctx, sparse.ref().reshape(g.auxiliary()));
  // What 1500 iterations leave; the parts themselves are exact.
  EXPECT_LT(test::relative_error(ctx, found, truth), 1e-3);
}

}  // namespace
}  // namespace whorl

// The preconditioner of ADMM's inner systems: where the system is a convolution, it is the inverse.
#include "recon/regularized/inner_preconditioner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/circulant.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Two frames of 10 x 7 pixels, each with a spectrum of its own, from 0.1 to 1.
TEST(InnerPreconditioner, InvertsConvolutions) {
  const Context ctx = test::device_context(2);
  const Shape image{10, 7};
  const Shape series = image.with_front(2);
  const auto spectrum = [&](double turns) {
    Array<float> values(ctx.host(), image);
    for (Index i = 0; i < values.size(); ++i) {
      values.span()[static_cast<std::size_t>(i)] =
          static_cast<float>(0.55 + 0.45 * std::cos(2 * std::numbers::pi * turns * static_cast<double>(i) / 70));
    }
    return values;
  };
  const BlockDiagonal<float> H({Operator<float>(Circulant<float>(ctx, image, spectrum(3))),
                                Operator<float>(Circulant<float>(ctx, image, spectrum(7)))});
  const NormalFunction<float> normal = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    H.forward(c, p.reshape(series), q.reshape(series));
  };
  DualTerm<float> identity{.range = series, .step = nullptr, .add_adjoint = nullptr, .add_normal = nullptr};
  identity.add_normal = [](const Context& c, double factor, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    axpby<float>(c, factor, p, 1, q);
  };
  Array<Complex> random(ctx.host(), {series.size()});
  fill_random_normal(random, 5);
  const Array<Complex> x = clone<Complex>(ctx, random.ref());
  const auto P = recon::circulant_inner_preconditioner<float>(ctx, normal, {identity}, series, series.size(), x);
  ASSERT_TRUE(P.apply != nullptr);
  for (const double rho : {0.02, 3.0}) {
    P.set(ctx, rho);
    Array<Complex> system(ctx, x.shape());
    normal(ctx, x, system);
    axpby<float>(ctx, rho, x, 1, system);
    // b is 0 nowhere.
    P.add_proximal(ctx, 1, x, system);
    Array<Complex> solved(ctx, x.shape());
    P.apply(ctx, system, solved);
    // Rounding: some 1e-7 for each of ten FFTs, and the spectrum's factors, whose largest is 10 times the least.
    EXPECT_LT(test::relative_error(ctx, solved, x), 1e-5) << rho;
  }
}

// H is 0.5 but in the last row of 5 pixels, where it and b are 0. There Q is 0.3 rho, P^-1 is 1 / (rho + 0.3 rho) for the
// identity as term, and elsewhere P^-1 is 1 / (0.5 + rho).
TEST(InnerPreconditioner, TakesTheSupportFromTheRightHandSide) {
  const Context ctx = test::device_context(2);
  const Shape series{1, 6, 5};
  const auto last_row = [](auto all) { return decltype(all)(all.data() + 25, {5}, all.device()); };
  const NormalFunction<float> half = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    axpby<float>(c, 0.5, p, 0, q);
    fill<Complex>(c, last_row(q), 0);
  };
  DualTerm<float> identity{.range = series, .step = nullptr, .add_adjoint = nullptr, .add_normal = nullptr};
  identity.add_normal = [](const Context& c, double factor, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    axpby<float>(c, factor, p, 1, q);
  };
  Array<Complex> random(ctx.host(), {series.size()});
  fill_random_normal(random, 5);
  const Array<Complex> x = clone<Complex>(ctx, random.ref());
  Array<Complex> b = clone<Complex>(ctx, random.ref());
  fill<Complex>(ctx, last_row(b.ref()), 0);
  const auto P = recon::circulant_inner_preconditioner<float>(ctx, half, {identity}, series, series.size(), b);
  ASSERT_TRUE(P.apply != nullptr);
  const double rho = 2;
  P.set(ctx, rho);
  Array<Complex> expected = clone<Complex>(ctx, random.ref());
  axpby<float>(ctx, 1 / (0.5 + rho), x, 0, expected);
  axpby<float>(ctx, 1 / (1.3 * rho), last_row(x.ref()), 0, last_row(expected.ref()));
  Array<Complex> found(ctx, x.shape());
  P.apply(ctx, x, found);
  EXPECT_LT(test::relative_error(ctx, found, expected), 1e-5);

  fill<Complex>(ctx, expected, 0);
  axpby<float>(ctx, 0.7 * 0.3 * rho, last_row(x.ref()), 0, last_row(expected.ref()));
  fill<Complex>(ctx, found, 0);
  P.add_proximal(ctx, 0.7, x, found);
  EXPECT_LT(test::relative_error(ctx, found, expected), 1e-6);
}

TEST(InnerPreconditioner, IsNoneWithoutResponse) {
  const Context ctx = test::device_context(2);
  const NormalFunction<float> nothing = [](const Context& c, ArrayRef<const Complex>, ArrayRef<Complex> q) {
    fill<Complex>(c, q, 0);
  };
  Array<Complex> b = zeros<Complex>(ctx, {30});
  EXPECT_TRUE(recon::circulant_inner_preconditioner<float>(ctx, nothing, {}, {1, 6, 5}, 30, b).apply == nullptr);
  fill<Complex>(ctx, b, 1);
  EXPECT_TRUE(recon::circulant_inner_preconditioner<float>(ctx, nothing, {}, {1, 6, 5}, 30, b).apply == nullptr);
}

}  // namespace
}  // namespace whorl

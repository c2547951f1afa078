// The circulant preconditioner of ADMM's inner systems: where the system is a convolution, its square is the inverse.
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
  const auto C = recon::circulant_inner_preconditioner<float>(ctx, normal, {identity}, series, series.size());
  ASSERT_TRUE(C.apply != nullptr);

  Array<Complex> random(ctx.host(), {series.size()});
  fill_random_normal(random, 5);
  const Array<Complex> x = clone<Complex>(ctx, random.ref());
  for (const double rho : {0.02, 3.0}) {
    C.set(ctx, rho);
    Array<Complex> system(ctx, x.shape());
    normal(ctx, x, system);
    axpby<float>(ctx, rho, x, 1, system);
    Array<Complex> once(ctx, x.shape());
    Array<Complex> twice(ctx, x.shape());
    C.apply(ctx, system, once);
    C.apply(ctx, once, twice);
    // Rounding: some 1e-7 for each of ten FFTs, and the spectrum's factors, whose largest is 10 times the least.
    EXPECT_LT(test::relative_error(ctx, twice, x), 1e-5) << rho;
    C.apply_inverse(ctx, once, twice);
    EXPECT_LT(test::relative_error(ctx, twice, system), 1e-5) << rho;
  }
}

TEST(InnerPreconditioner, IsNoneWithoutResponse) {
  const Context ctx = test::device_context(2);
  const NormalFunction<float> nothing = [](const Context& c, ArrayRef<const Complex>, ArrayRef<Complex> q) {
    fill<Complex>(c, q, 0);
  };
  EXPECT_TRUE(recon::circulant_inner_preconditioner<float>(ctx, nothing, {}, {1, 6, 5}, 30).apply == nullptr);
  // As with coil maps that are 0 in the last row: a sixth of the pixels, while the middle has a response.
  const NormalFunction<float> within = [](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    copy<Complex>(c, p, q);
    fill<Complex>(c, ArrayRef<Complex>(q.data() + 25, {5}, q.device()), 0);
  };
  EXPECT_TRUE(recon::circulant_inner_preconditioner<float>(ctx, within, {}, {1, 6, 5}, 30).apply == nullptr);
}

}  // namespace
}  // namespace whorl

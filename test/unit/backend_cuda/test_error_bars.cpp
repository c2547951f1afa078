// Error bars on a GPU against those of the CPU, with the same seeds.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "support/shared.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/recon/g_factor.hpp"
#include "whorl/recon/point_spread.hpp"
#include "whorl/recon/standard_deviation.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

constexpr double lambda = 0.05;

// CG-SENSE of some samples at random.
class Problem {
 public:
  explicit Problem(const Context& ctx)
      : maps(test::random_array<float>(ctx, {3, 22, 35}, 6)),
        encoding_(Nufft<float>(ctx, test::random_points(ctx.host(), 1500, 2), {22, 35}, 3,
                               {.tolerance = 1e-6, .oversampling = 2}) *
                  Sense<float>(maps.share())) {}

  RegularizedModel<float> model() const { return {encoding_, 16.0}; }

  Array<Complex> maps;

 private:
  Operator<float> encoding_;
};

// |a - b| / |b| of real arrays on the host.
double difference(const Array<float>& a, const Array<float>& b) {
  double square = 0;
  double total = 0;
  for (std::size_t i = 0; i < b.span().size(); ++i) {
    square += std::pow(double(a.span()[i]) - b.span()[i], 2);
    total += std::pow(double(b.span()[i]), 2);
  }
  return std::sqrt(square / total);
}

// The solves stop at a residual of 1e-6, which the smallest eigenvalue, lambda, makes an error of 2e-5 at most; the
// rounding of a float in the transforms, below 1e-6, is as much.
TEST(CudaErrorBars, AreThoseOfTheCpu) {
  const Context ctx = test::device_context();
  const Problem here(ctx.host());
  const Problem there(ctx);
  for (const auto method : {StandardDeviationMethod::replica, StandardDeviationMethod::probe}) {
    const StandardDeviationOptions options{.method = method, .count = 7, .batch = 3, .seed = 4};
    const auto expected = standard_deviation<float>(ctx.host(), "here", here.model(), lambda, options);
    const auto found = standard_deviation<float>(ctx, "there", there.model(), lambda, options);
    EXPECT_LT(difference(found.values, expected.values), 1e-4);
    EXPECT_NEAR(found.relative_error / expected.relative_error, 1, 1e-3);
    const auto g = g_factor<float>(ctx.host(), expected.values, here.maps, 1500);
    EXPECT_LT(difference(g_factor<float>(ctx, found.values, there.maps, 1500), g), 1e-4);
  }
  const LeastSquaresOptions solver{.iterations = 300, .tolerance = 1e-6, .lambda = lambda};
  const auto expected = point_spread<float>(ctx.host(), "here", here.model(), solver, {20, 3});
  const auto found = point_spread<float>(ctx, "there", there.model(), solver, {20, 3});
  EXPECT_LT(test::relative_error(found.response, expected.response), 1e-4);
  EXPECT_NEAR(found.widths[0], expected.widths[0], 1e-2);
}

TEST(CudaErrorBars, SumsOfProductsRunOverTheBatch) {
  const Context ctx = test::device_context();
  const auto x = test::random_array<double>(ctx.host(), {5, 7, 600}, 1);
  const auto y = test::random_array<double>(ctx.host(), {5, 7, 600}, 2);
  Array<double> sum = zeros<double>(ctx, {7, 600});
  add_products<double>(ctx, clone<const std::complex<double>>(ctx, x), clone<const std::complex<double>>(ctx, y), sum);
  const auto found = to_host<double>(ctx, sum);
  for (Index i = 0; i < found.size(); ++i) {
    double expected = 0;
    for (Index b = 0; b < 5; ++b) expected += (std::conj(x.data()[b * 4200 + i]) * y.data()[b * 4200 + i]).real();
    ASSERT_NEAR(found.data()[i], expected, 1e-13) << i;  // five products of size 1 in double
  }
}

}  // namespace
}  // namespace whorl

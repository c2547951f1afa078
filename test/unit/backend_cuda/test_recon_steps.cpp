// The steps of a reconstruction before the solver on a GPU, from data that lies on the host.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/shared.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

TEST(CudaFft, CenteredTransformsOfOddAndEvenExtents) {
  const Context ctx = test::device_context();
  for (const Shape& shape : {Shape{3, 6, 9}, Shape{2, 5, 8, 7}, Shape{15}}) {
    const int dim = std::min(3, shape.rank());
    auto here = test::random_array<float>(ctx.host(), shape, 1);
    auto there = clone<Complex>(ctx, here);
    centered_fft<float>(ctx.host(), FftDirection::forward, here, dim);
    centered_fft<float>(ctx, FftDirection::forward, there, dim);
    EXPECT_LT(test::relative_error(ctx, there, here), 1e-6);  // rounding of a float, a few times
  }
}

// The transform is asked to be good to 1e-6, the least squares of the calibration region stop at 1e-3 of the residual
// after the same steps, and the maps follow the data: a few times that.
TEST(CudaRecon, CoilMapsOfAScan) {
  const Context ctx = test::device_context();
  for (const auto method : {CoilMapMethod::espirit, CoilMapMethod::walsh}) {
    ReconOptions options{.virtual_coils = 4, .coil_maps = method, .calibration = 16};
    options.nufft.tolerance = 1e-6;
    const test::TestScanOptions scan{.coils = 6, .noise = 1e-3};
    const EstimatedCoilMaps here = estimate_coil_maps(ctx.host(), test::make_test_scan(ctx.host(), scan), options);
    const EstimatedCoilMaps there = estimate_coil_maps(ctx, test::make_test_scan(ctx.host(), scan), options);
    EXPECT_EQ(there.notes, here.notes);
    EXPECT_LT(test::relative_error(there.maps, here.maps), 5e-5);
  }
}

// Both devices take the same probes and steps. Products of floats differ by some 1e-6 of the largest, and conjugate
// gradient stops within a step of the same: the residual left to it, at most 1e-2 for the image and 1e-3 for the
// probes.
TEST(CudaRecon, TheCurveOverLambda) {
  const Context ctx = test::device_context();
  const Scan scan = test::make_test_scan(ctx.host(), {.coils = 1, .noise = 0.2, .spokes = 16});
  const auto curve_on = [&](const Context& device) {
    const Nufft<float> encoding(device, scan.frames[0].trajectory->points, {40, 48}, 1, {.tolerance = 1e-5});
    const Array<Complex> data = clone(device, scan.frames[0].data.ref());
    const RegularizedModel<float> model{test::shared<float>(encoding), normal_eigenvalue<float>(device, encoding)};
    return lambda_curve<float>(device, model, data, {.lowest = 1e-3});
  };
  const LambdaCurve here = curve_on(ctx.host());
  const LambdaCurve there = curve_on(ctx);
  ASSERT_EQ(there.points.size(), here.points.size());
  for (std::size_t i = 0; i < here.points.size(); ++i) {
    EXPECT_NEAR(there.points[i].residual / here.points[i].residual, 1, 0.01);
    EXPECT_NEAR(there.points[i].penalty / here.points[i].penalty, 1, 0.01);
    EXPECT_NEAR(there.points[i].freedom / 1920, here.points[i].freedom / 1920, 2e-3);
  }
}

}  // namespace
}  // namespace whorl

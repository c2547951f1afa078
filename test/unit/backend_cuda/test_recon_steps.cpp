// The steps of a reconstruction before the solver on a GPU, from data that lies on the host.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/math/fft.hpp"
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

}  // namespace
}  // namespace whorl

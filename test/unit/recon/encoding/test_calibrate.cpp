#include "recon/encoding/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

TEST(CalibrationRegion, IsTheCartesianCenterOfKSpace) {
  const Context ctx({.threads = 2});
  const Scan scan = test::make_test_scan(ctx, {.coils = 3, .spokes = 120});
  constexpr Index extent = 16;
  const auto region = recon::calibration_region(ctx, scan.frames[0], scan.image_shape(), extent);
  ASSERT_EQ(region.shape(), (Shape{3, extent, extent}));

  // Positions are the same in the phantom's exact k-space: one cycle per field of view apart.
  Array<double> points(ctx, {extent * extent, 2});
  for (Index j = 0; j < extent * extent; ++j) {
    points.data()[2 * j] = double(j % extent - extent / 2) / 48;
    points.data()[2 * j + 1] = double(j / extent - extent / 2) / 40;
  }
  auto expected = phantom_coil_samples<double>(ctx, shepp_logan(2, PhantomContrast::modified),
                                               make_phantom_coils(ctx, scan.matrix, 3), points);
  double difference = 0;
  double total = 0;
  for (Index c = 0; c < 3; ++c) {
    for (Index y = 2; y < extent - 2; ++y) {
      for (Index x = 2; x < extent - 2; ++x) {
        const auto wanted = expected.data()[(c * extent + y) * extent + x];
        difference += std::norm(std::complex<double>(region.data()[(c * extent + y) * extent + x]) - wanted);
        total += std::norm(wanted);
      }
    }
  }
  // Least squares leaves what the image of extent^2 pixels can not hold: the tails of frequencies outside the region,
  // which leak into the two outermost rows above all.
  EXPECT_LT(std::sqrt(difference / total), 0.05);
}

TEST(CalibrationRegion, NeedsSamplesInTheCenter) {
  const Context ctx;
  Scan scan = test::make_test_scan(ctx, {.coils = 2, .spokes = 3});
  auto shifted = std::make_shared<Trajectory>();
  shifted->points = clone(ctx, scan.frames[0].trajectory->points.ref());
  for (auto& k : shifted->points.span()) k = 0.4 + 0.1 * k;
  scan.frames[0].trajectory = shifted;
  EXPECT_THROW(recon::calibration_region(ctx, scan.frames[0], scan.image_shape(), 16), ValueError);
}

}  // namespace
}  // namespace whorl

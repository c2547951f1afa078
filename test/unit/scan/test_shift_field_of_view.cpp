// The field of view at another place: the object moves by as many pixels the other way.
#include "whorl/scan/shift_field_of_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/compare.hpp"
#include "support/small_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

Array<Complex> adjoint_image(const Context& ctx, const Scan& scan) {
  const ScanFrame& frame = scan.frames.front();
  const Dft<float> dft(ctx, frame.trajectory->points, scan.image_shape(), scan.coils);
  Array<Complex> image(ctx, dft.domain());
  dft.adjoint(ctx, frame.data, image);
  return image;
}

TEST(ShiftFieldOfView, MovesImageAndGeometryAlike) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);  // 20 x 16 pixels of 10 mm
  scan.frames.front().geometry.read_direction = {0, 1, 0};
  scan.frames.front().geometry.phase_direction = {0, 0, 1};
  scan.frames.front().geometry.slice_direction = {1, 0, 0};
  scan.coil_maps = zeros<Complex>(ctx, {3, 1, 16, 20});
  const auto before = adjoint_image(ctx, scan);
  const Geometry place = scan.frames.front().geometry;
  shift_field_of_view(scan, {3, -2, 0});
  const auto after = adjoint_image(ctx, scan);
  // The pixel that was 3 farther along x and 2 less along y.
  double largest = 0;
  double total = 0;
  for (Index c = 0; c < 3; ++c) {
    for (Index y = 2; y < 16; ++y) {
      for (Index x = 0; x < 17; ++x) {
        largest = std::max<double>(largest, std::abs(after.view<3>()(c, y, x) - before.view<3>()(c, y - 2, x + 3)));
        total = std::max<double>(total, std::abs(before.view<3>()(c, y - 2, x + 3)));
      }
    }
  }
  // Samples are rounded to float after the factor: 60 errors of 1e-7.
  EXPECT_LT(largest, 1e-6 * total);
  EXPECT_NEAR(scan.frames.front().geometry.position_mm[0], place.position_mm[0], 1e-12);
  EXPECT_NEAR(scan.frames.front().geometry.position_mm[1], place.position_mm[1] + 30, 1e-12);
  EXPECT_NEAR(scan.frames.front().geometry.position_mm[2], place.position_mm[2] - 20, 1e-12);
  EXPECT_EQ(scan.coil_maps.size(), 0);
  EXPECT_NE(scan.notes.back().find("were left out"), std::string::npos);
  EXPECT_THROW(shift_field_of_view(scan, {0, 0, 1}), ValueError);
  EXPECT_THROW(shift_field_of_view(scan, {std::nan(""), 0, 0}), ValueError);
}

// The sum of all samples times exp(2 pi i k.p) is the value at the position p.
TEST(ShiftFieldOfView, ToThePositionOfTheHeader) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);  // 20 x 16 pixels of 10 mm
  Geometry& geometry = scan.frames.front().geometry;
  geometry.read_direction = {0, 1, 0};
  geometry.phase_direction = {0, 0, 1};
  geometry.slice_direction = {1, 0, 0};
  geometry.position_mm = {70, 30, -20};  // 3 pixels along x and -2 along y; the slice is at 70 mm
  const Geometry place = geometry;
  EXPECT_EQ(position_in_pixels(scan, scan.frames.front()), (std::array<double, 3>{3, -2, 0}));
  Scan moved = clone(ctx, scan);
  shift_field_of_view(scan, {3, -2, 0});
  shift_to_header(moved);
  EXPECT_TRUE(std::ranges::equal(moved.frames.front().data.span(), scan.frames.front().data.span()));
  EXPECT_EQ(moved.frames.front().geometry, place);
  moved.frames.front().geometry.field_of_view_mm[0] = 0;
  EXPECT_THROW(shift_to_header(moved), ValueError);
}

}  // namespace
}  // namespace whorl

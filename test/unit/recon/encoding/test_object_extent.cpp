#include "recon/encoding/object_extent.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "support/phantom_scan.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl {
namespace {

using Factors = std::array<double, 3>;

// The head is 0.69 x 0.92 of 48 x 40 pixels: 33 x 37.
Factors extent_of(const Context& ctx, const Scan& scan, const Shape& image) {
  return recon::object_extent(ctx, scan.frames.front(), image);
}

TEST(ObjectExtent, IsOneForAnObjectWithinTheFieldOfView) {
  const Context ctx({.threads = 2});
  for (const double noise : {0.0, 0.05, 0.5}) {
    const Scan scan = test::make_test_scan(ctx, {.coils = 3, .noise = noise, .spokes = 120});
    EXPECT_EQ(extent_of(ctx, scan, {40, 48}), (Factors{1, 1, 1})) << noise;
  }
}

TEST(ObjectExtent, IsThatOfAnObjectBeyondIt) {
  const Context ctx({.threads = 2});
  Scan scan = test::make_test_scan(ctx, {.coils = 3, .noise = 0.05, .spokes = 120});
  // The object has 37 pixels along y. 34 become 42 by 1.25; 30 only 37.5, and some of the edge is beyond; 20 become 40 by 2.
  EXPECT_EQ(extent_of(ctx, scan, {34, 48}), (Factors{1.25, 1.25, 1}));
  const Factors found = extent_of(ctx, scan, {30, 48});
  EXPECT_EQ(found, (Factors{1.25, 1.5, 1}));
  EXPECT_EQ(extent_of(ctx, scan, {20, 48})[1], 2);
  // At any scale of the data.
  for (auto& sample : scan.frames.front().data.span()) sample *= 1e-30F;
  EXPECT_EQ(extent_of(ctx, scan, {30, 48}), found);
}

TEST(ObjectExtent, IsOneWhereTheSamplesTellNothing) {
  const Context ctx({.threads = 2});
  // Spokes leave gaps on twice the field of view beyond 20 / pi cycles per field of view of the wide one.
  const Scan few = test::make_test_scan(ctx, {.coils = 3, .spokes = 20});
  EXPECT_EQ(extent_of(ctx, few, {30, 48}), (Factors{1, 1, 1}));
  Scan without = test::make_test_scan(ctx, {.coils = 3, .spokes = 120});
  without.frames.front().data = Array<std::complex<float>>(ctx, {3, 0});
  EXPECT_EQ(extent_of(ctx, without, {30, 48}), (Factors{1, 1, 1}));
  Scan zeros = test::make_test_scan(ctx, {.coils = 3, .spokes = 120});
  for (auto& sample : zeros.frames.front().data.span()) sample = 0;
  EXPECT_EQ(extent_of(ctx, zeros, {30, 48}), (Factors{1, 1, 1}));
}

// Partitions are one cycle per field of view apart: nothing is known beyond it along z.
TEST(ObjectExtent, IsThatInThePlaneOfAStack) {
  const Context ctx({.threads = 2});
  const Trajectory plane = radial_trajectory(ctx, 80, 64, SpokeOrder::golden_angle);
  const auto stack = std::make_shared<Trajectory>(stack_trajectory(ctx, plane, {.partitions = 12}));
  const Scan scan = test::make_phantom_scan(ctx, stack, {32, 32, 12}, {.coils = 2});
  EXPECT_EQ(extent_of(ctx, scan, {12, 32, 32}), (Factors{1, 1, 1}));
  // 29 of 24 pixels along y.
  EXPECT_EQ(extent_of(ctx, scan, {12, 24, 32}), (Factors{1.25, 1.25, 1}));
}

}  // namespace
}  // namespace whorl

#include "whorl/trajectory/spokes.hpp"

#include <gtest/gtest.h>

#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

TEST(SpokeStep, IsThatOfTheReadout) {
  const Context ctx;
  EXPECT_NEAR(largest_spoke_step(radial_trajectory(ctx, 7, 40, SpokeOrder::golden_angle)).value(), 1.0 / 40, 1e-12);
  EXPECT_NEAR(largest_spoke_step(kooshball_trajectory(ctx, 7, 40, {.center_out = true})).value(), 1.0 / 80, 1e-12);
}

TEST(SpokeStep, OthersHaveNone) {
  const Context ctx;
  EXPECT_FALSE(largest_spoke_step(spiral_trajectory(ctx, 3, 50, 4)));
  Trajectory unknown = radial_trajectory(ctx, 7, 40, SpokeOrder::golden_angle);
  unknown.readout_length = 0;
  EXPECT_FALSE(largest_spoke_step(unknown));
}

// In a square of N pixels the corner on the other side lies (1 + sqrt 2) / 2 = 1.207 N from the edge of the disc, in a
// cube (1 + sqrt 3) / 2 = 1.366 N from that of the ball.
TEST(CornersAlias, WhereTheObjectIsRepeatedTooNear) {
  const Context ctx;
  const auto star = [&](Index readout) { return radial_trajectory(ctx, 7, readout, SpokeOrder::uniform); };
  EXPECT_TRUE(corners_alias(star(100), {100, 100}));
  EXPECT_TRUE(corners_alias(star(120), {100, 100}));
  EXPECT_FALSE(corners_alias(star(122), {100, 100}));
  EXPECT_TRUE(corners_alias(kooshball_trajectory(ctx, 7, 136), {100, 100, 100}));
  EXPECT_FALSE(corners_alias(kooshball_trajectory(ctx, 7, 138), {100, 100, 100}));
  EXPECT_FALSE(corners_alias(spiral_trajectory(ctx, 3, 50, 4), {100, 100}));
}

}  // namespace
}  // namespace whorl

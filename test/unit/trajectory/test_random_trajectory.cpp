#include "whorl/trajectory/random_trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(RandomTrajectory, IsUniformInItsRegion) {
  const Context ctx;
  const Index n = 20000;
  for (const int dim : {2, 3}) {
    for (const RandomRegion region : {RandomRegion::box, RandomRegion::ball}) {
      const Trajectory trajectory = random_trajectory(ctx, n, dim, region, 7);
      ASSERT_EQ(trajectory.points.shape(), (Shape{n, dim}));
      EXPECT_EQ(trajectory.readout_length, 0);
      const auto k = trajectory.points.view<2>();
      const bool ball = region == RandomRegion::ball;
      Index inner = 0;
      double mean = 0;
      for (Index sample = 0; sample < n; ++sample) {
        double square = 0;
        double largest = 0;
        for (Index axis = 0; axis < dim; ++axis) {
          square += k(sample, axis) * k(sample, axis);
          largest = std::max(largest, std::abs(k(sample, axis)));
        }
        mean += k(sample, dim - 1) / static_cast<double>(n);
        const double size = ball ? std::sqrt(square) : largest;
        ASSERT_LT(size, 0.5);
        inner += size < 0.25 ? 1 : 0;
      }
      // The half as large region holds 2^-dim of the samples; standard deviations are sqrt(p (1 - p) / n) and at most
      // 0.29 / sqrt(n), five of them are taken.
      const double part = std::pow(0.5, dim);
      EXPECT_NEAR(static_cast<double>(inner) / n, part, 5 * std::sqrt(part * (1 - part) / n));
      EXPECT_NEAR(mean, 0, 5 * 0.29 / std::sqrt(n));
    }
  }
}

TEST(RandomTrajectory, SeedsRepeat) {
  const Context ctx;
  const auto first = random_trajectory(ctx, 9, 3, RandomRegion::ball, 1);
  const auto again = random_trajectory(ctx, 9, 3, RandomRegion::ball, 1);
  const auto other = random_trajectory(ctx, 9, 3, RandomRegion::ball, 2);
  EXPECT_TRUE(std::equal(first.points.span().begin(), first.points.span().end(), again.points.span().begin()));
  EXPECT_NE(first.points.view<2>()(0, 0), other.points.view<2>()(0, 0));
}

TEST(RandomTrajectory, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(random_trajectory(ctx, 0, 2, RandomRegion::box, 1), ValueError);
  EXPECT_THROW(random_trajectory(ctx, 5, 4, RandomRegion::box, 1), ValueError);
}

}  // namespace
}  // namespace whorl

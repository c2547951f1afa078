#include <gtest/gtest.h>

#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/sample_times.hpp"

namespace whorl {
namespace {

TEST(SampleTimes, StartAnewInEachReadout) {
  const Context ctx;
  const Trajectory trajectory{zeros<double>(ctx, {12, 3}), 4};
  const auto times = sample_times(ctx, trajectory, 400, 25);
  ASSERT_EQ(times.shape(), Shape{12});
  for (Index j = 0; j < 12; ++j) {
    // Two roundings of numbers below 1e-3.
    EXPECT_NEAR(times.data()[j], (400 + 25.0 * static_cast<double>(j % 4)) * 1e-6, 1e-18);
  }
}

TEST(SampleTimes, RefuseWhatIsNotKnown) {
  const Context ctx;
  const Trajectory unknown{zeros<double>(ctx, {12, 3}), 0};
  const Trajectory broken{zeros<double>(ctx, {12, 3}), 5};
  const Trajectory whole{zeros<double>(ctx, {12, 3}), 4};
  EXPECT_THROW(sample_times(ctx, unknown, 400, 25), ValueError);
  EXPECT_THROW(sample_times(ctx, broken, 400, 25), ValueError);
  EXPECT_THROW(sample_times(ctx, whole, 400, 0), ValueError);
  EXPECT_THROW(sample_times(ctx, whole, std::nan(""), 25), ValueError);
}

}  // namespace
}  // namespace whorl

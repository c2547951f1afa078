#include "whorl/trajectory/cones.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

TEST(Cones, LieOnConesWithGrowingRadius) {
  const Context ctx;
  const ConesOptions options{.cones = 6, .interleaves = 3, .matrix = 24};
  const Index n = 50;
  const Trajectory trajectory = cones_trajectory(ctx, options, n);
  ASSERT_EQ(trajectory.points.shape(), (Shape{6 * 3 * n, 3}));
  EXPECT_NO_THROW(check_trajectory(trajectory.points));
  const auto k = trajectory.points.view<2>();
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    const double polar = (static_cast<double>(sample / (3 * n)) + 0.5) * pi / 6;
    const double radius = 0.5 * static_cast<double>(sample % n) / 49;
    EXPECT_NEAR(std::hypot(k(sample, 0), k(sample, 1)), radius * std::sin(polar), 1e-15);
    EXPECT_NEAR(k(sample, 2), radius * std::cos(polar), 1e-15);
  }
}

// Shortest distance from a point of one arm to the points of another.
double distance_to_arm(const View<const double, 2>& k, Index sample, Index arm, Index n) {
  double least = 1;
  for (Index i = arm * n; i < (arm + 1) * n; ++i) {
    least = std::min(least, std::hypot(k(sample, 0) - k(i, 0), k(sample, 1) - k(i, 1), k(sample, 2) - k(i, 2)));
  }
  return least;
}

TEST(Cones, NeighboringTracksAreOneOverNApartAtTheEdge) {
  const Context ctx;
  const double matrix = 40;
  const ConesOptions options{.cones = 5, .interleaves = 6, .matrix = matrix};
  const Index n = 4000;
  const Trajectory trajectory = cones_trajectory(ctx, options, n);
  const Trajectory& constant = trajectory;
  const auto k = constant.points.view<2>();
  for (const Index cone : {0, 1, 2}) {
    // The tracks before and behind, from a place just inside the edge: 98 % of the radius, so that both are there. The
    // formula is of straight neighbors; the tracks are curved, which changes the distance by the order of distance
    // times curvature, 1/40 * 2 / 2, and the smaller radius changes it by less than 2 %: 4 % in all.
    const Index sample = cone * 6 * n + n * 98 / 100;
    double nearest = 1;
    for (Index arm = 1; arm < 6; ++arm) nearest = std::min(nearest, distance_to_arm(k, sample, cone * 6 + arm, n));
    EXPECT_NEAR(nearest * matrix, 1, 0.04) << cone;
  }
}

TEST(Cones, StraightLinesWhereTheyAreEnough) {
  const Context ctx;
  // The first cone is pi 16 sin(pi / 40) / 2 = 1.97 < 2 in units of 1 / N around.
  const Trajectory trajectory = cones_trajectory(ctx, {.cones = 40, .interleaves = 4, .matrix = 16}, 9);
  const auto k = trajectory.points.view<2>();
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(k(i, 1), 0);
}

TEST(Cones, DesignKeepsConesLimitsAndTime) {
  const Context ctx;
  const ConesOptions options{.cones = 4, .interleaves = 5, .matrix = 32};
  DesignOptions design;
  design.limits.pixel_mm = 3;
  const DesignedTrajectory made = designed_cones(ctx, options, design);
  EXPECT_NO_THROW(check_trajectory(made.trajectory.points));
  EXPECT_EQ(made.gradients.mt_per_m.extent(0), 4);
  EXPECT_EQ(made.trajectory.samples(), 20 * made.trajectory.readout_length);
  const auto k = made.trajectory.points.view<2>();
  const Index n = made.trajectory.readout_length;
  // The positions are those that the waveforms play: up to gamma slew raster^2 / 2 from the curve, and as much again where
  // they are drawn back to the edge of k-space.
  const double played = design.limits.acceleration() * design.raster_us * design.raster_us;
  for (Index sample = 0; sample < made.trajectory.samples(); ++sample) {
    const double polar = (static_cast<double>(sample / (5 * n)) + 0.5) * pi / 4;
    EXPECT_NEAR(k(sample, 2) * std::sin(polar), std::hypot(k(sample, 0), k(sample, 1)) * std::cos(polar), played);
  }
  const GradientPeaks peaks = gradient_peaks(ctx, made.gradients);
  EXPECT_LT(peaks.slew_t_per_m_s, 150 * 1.005);
  EXPECT_GT(peaks.slew_t_per_m_s, 150 * 0.99);
  EXPECT_LT(peaks.amplitude_mt_per_m, 40 * (1 + 1e-9));
}

TEST(Cones, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(cones_trajectory(ctx, {.cones = 0}, 8), ValueError);
  EXPECT_THROW(cones_trajectory(ctx, {.interleaves = 0}, 8), ValueError);
  EXPECT_THROW(cones_trajectory(ctx, {.matrix = 0}, 8), ValueError);
  EXPECT_THROW(cones_trajectory(ctx, {}, 1), ValueError);
  EXPECT_THROW(designed_cones(ctx, {.cones = 10001}, {}), ValueError);
  EXPECT_THROW(cones_trajectory(ctx, {.cones = Index{1} << 31, .interleaves = Index{1} << 31}, 2), ValueError);
}

}  // namespace
}  // namespace whorl

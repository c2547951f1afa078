#include "whorl/density/pipe_menon.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_trajectory.hpp"
#include "whorl/density/impulse_response.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

TEST(PipeMenon, FindsTheRampOfRadialSpokes) {
  const Context ctx({.threads = 2});
  const Trajectory radial = radial_trajectory(ctx, 101, 64, SpokeOrder::uniform);
  const auto result = pipe_menon_density<double>(ctx, radial.points, {64, 64});
  const auto ramp = radial_density<double>(ctx, radial);
  double sum = 0;
  double difference = 0;
  double total = 0;
  for (Index j = 0; j < ramp.size(); ++j) {
    const double w = result.weights.data()[j];
    sum += w;
    // The window of two pixels of 1/FOV blurs the tip of the ramp and its cut edge: they are left out.
    const double radius = 64 * std::hypot(radial.points.data()[2 * j], radial.points.data()[2 * j + 1]);
    if (radius < 4 || radius > 28) continue;
    difference += (w - ramp.data()[j]) * (w - ramp.data()[j]);
    total += ramp.data()[j] * ramp.data()[j];
  }
  EXPECT_NEAR(sum / double(ramp.size()), 1, 1e-9);
  // Both are normalized over all samples, so what the edge takes is missing inside: 5 %.
  EXPECT_LT(std::sqrt(difference / total), 0.05);
  EXPECT_LT(result.deviation, 0.05);
}

TEST(PipeMenon, AnEvenGridNeedsNoCompensation) {
  const Context ctx;
  Array<double> points(ctx, {32 * 24, 2});
  for (Index j = 0; j < points.extent(0); ++j) {
    const Index row = j / 24;
    points.data()[2 * j] = double(j % 24) / 24 - 0.5;
    points.data()[2 * j + 1] = double(row) / 32 - 0.5;
  }
  const auto result = pipe_menon_density<float>(ctx, points, {32, 24});
  // On grid points the window's edge, 1/I0(beta) = 7.7e-4 for width 4, falls on one side or the other by rounding.
  for (const float w : result.weights.span()) EXPECT_NEAR(w, 1, 1e-3);
  EXPECT_LE(result.iterations, 3);
}

TEST(PipeMenon, SamplesAtOnePlaceShareTheWeight) {
  const Context ctx;
  auto points = test::random_points(ctx, 200, 3);
  for (int axis = 0; axis < 3; ++axis) points.data()[3 * 7 + axis] = points.data()[3 * 8 + axis];
  const auto result = pipe_menon_density<double>(ctx, points, {9, 8, 10});
  EXPECT_NEAR(result.weights.data()[7], result.weights.data()[8], 1e-9);
}

TEST(PipeMenon, RefusesBadOptions) {
  const Context ctx;
  const auto points = test::random_points(ctx, 20, 2);
  EXPECT_THROW(pipe_menon_density<float>(ctx, points, {8, 8}, {.iterations = 0}), ValueError);
  EXPECT_THROW(pipe_menon_density<float>(ctx, points, {8, 8}, {.tolerance = -1}), ValueError);
  EXPECT_THROW(pipe_menon_density<float>(ctx, points, {8, 8, 8}), ShapeError);
}

TEST(PipeMenon, StopsOnRequest) {
  const Context ctx;
  const auto points = test::random_points(ctx, 20, 2);
  ctx.request_cancel();
  EXPECT_THROW(pipe_menon_density<float>(ctx, points, {8, 8}), Cancelled);
}

}  // namespace
}  // namespace whorl

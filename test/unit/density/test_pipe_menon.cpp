#include "whorl/density/pipe_menon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random_trajectory.hpp"
#include "whorl/density/impulse_response.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/density/voronoi_density.hpp"
#include "whorl/op/window.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

TEST(PipeMenon, FindsTheRampOfRadialSpokes) {
  const Context ctx({.threads = 2});
  const Trajectory radial = radial_trajectory(ctx, 101, 64, SpokeOrder::uniform);
  const auto result = pipe_menon_density<double>(ctx, radial.points, {64, 64});
  const auto ramp = radial_density<double>(ctx, radial, {64, 64});
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

// Inside of an even grid all weights are equal. Samples at the edge lack the neighbors on one side: the window with
// itself has 1 / 14 of its weight at each of them, which the edge makes up for and the next row pays for, a fourteenth
// as much each row further in. k = -1/2 and k = 1/2 are no neighbors.
TEST(PipeMenon, AnEvenGridNeedsNoCompensationInside) {
  const Context ctx;
  Array<double> points(ctx, {32 * 24, 2});
  for (Index j = 0; j < points.extent(0); ++j) {
    const Index row = j / 24;
    points.data()[2 * j] = double(j % 24) / 24 - 0.5;
    points.data()[2 * j + 1] = double(row) / 32 - 0.5;
  }
  const auto result = pipe_menon_density<float>(ctx, points, {32, 24}, {.tolerance = 1e-4});
  EXPECT_TRUE(result.converged);
  const float inside = result.weights.data()[16 * 24 + 12];
  for (Index j = 0; j < points.extent(0); ++j) {
    const Index x = j % 24;
    const Index y = j / 24;
    const Index from_edge = std::min({x, y, 23 - x, 31 - y});
    // On grid points the window's edge, 1/I0(beta) = 7.7e-4 for width 4, falls on one side or the other by rounding.
    const float w = result.weights.data()[j] / inside;
    EXPECT_NEAR(w, 1, from_edge > 2 ? 2e-3 : 0.2) << x << ", " << y;
    if (from_edge == 0) {
      EXPECT_GT(w, 1.05) << x << ", " << y;
    }
  }
}

// Along the axes of a star, where k = 1/2 and k = -1/2 lie, the outermost samples weigh as much as on other spokes.
TEST(PipeMenon, TheEdgesOfKSpaceAreNoNeighbors) {
  const Context ctx({.threads = 2});
  const Trajectory radial = radial_trajectory(ctx, 96, 65, SpokeOrder::uniform);
  const auto result = pipe_menon_density<double>(ctx, radial.points, {48, 48});
  const auto edge = [&](Index spoke) { return result.weights.data()[65 * spoke]; };
  // Spokes 0 and 48 run along x and y; their places on the grid differ from those of the others by parts of a cell.
  for (const Index spoke : {Index{0}, Index{48}}) EXPECT_NEAR(edge(spoke) / edge(spoke + 20), 1, 0.05) << spoke;
}

// Weights of the center stay those of areas, at any tolerance. Without the pull towards areas, tolerances of 1e-3 and less
// drive them to 1e-14 of their areas and on. w = m a / (C w - 1 + m) where a sample's neighbors take its place: C w stays
// below 1.2, so w > a / 200; C blurs a, which makes it up to 1.3 times the Voronoi cell there.
TEST(PipeMenon, NoWeightIsFarBelowItsArea) {
  const Context ctx({.threads = 2});
  const struct {
    const char* name;
    Shape image;
    Trajectory trajectory;
  } cases[] = {{"101 spokes", {32, 28}, radial_trajectory(ctx, 101, 64, SpokeOrder::golden_angle)},
               {"37 spokes", {24, 28}, radial_trajectory(ctx, 37, 48, SpokeOrder::golden_angle)},
               {"8 arms", {32, 28}, spiral_trajectory(ctx, 8, 300, 4)},
               {"12 arms, dense center", {32, 28}, spiral_trajectory(ctx, 12, 200, 4, 2)},
               {"kooshball", {12, 14, 10}, kooshball_trajectory(ctx, 150, 24)}};
  for (const auto& one : cases) {
    const Array<float> areas = voronoi_density<float>(ctx, one.trajectory.points);
    for (const double tolerance : {1e-1, 1e-2, 2e-3, 1e-4, 1e-6}) {
      const auto found =
          pipe_menon_density<float>(ctx, one.trajectory.points, one.image, {.iterations = 300, .tolerance = tolerance});
      float least = 1;
      for (Index j = 0; j < areas.size(); ++j) least = std::min(least, found.weights.data()[j] / areas.data()[j]);
      EXPECT_GT(least, 1.0F / 250) << one.name << ", " << tolerance;
    }
  }
}

// The deviation is that of the definition: the same window, summed sample by sample.
TEST(PipeMenon, ConvergesToTheTolerance) {
  const Context ctx;
  const auto points = test::random_points(ctx, 400, 2);
  const auto coarse = pipe_menon_density<double>(ctx, points, {12, 12}, {.tolerance = 1e-2});
  const auto fine = pipe_menon_density<double>(ctx, points, {12, 12}, {.tolerance = 1e-3});
  const auto cut = pipe_menon_density<double>(ctx, points, {12, 12}, {.iterations = 2, .tolerance = 1e-3});
  EXPECT_TRUE(coarse.converged);
  EXPECT_TRUE(fine.converged);
  EXPECT_FALSE(cut.converged);
  EXPECT_LE(coarse.deviation, 1e-2);
  EXPECT_LE(fine.deviation, 1e-3);
  EXPECT_GT(cut.deviation, 1e-3);
  EXPECT_LT(coarse.iterations, fine.iterations);
  // C w = 1 - m (1 - a / w) up to the weights' normalization, by its definition: the sum over grid points of products of
  // two windows. a = 1 / (C 1).
  const Window window(WindowKind::kaiser_bessel, 4, 2);
  const auto k = points.view<2>();
  const auto convolved = [&](const auto& weight, Index i) {
    double sum = 0;
    for (Index j = 0; j < 400; ++j) {
      double product = weight(j);
      for (Index axis = 0; axis < 2; ++axis) {
        double along = 0;
        for (int g = -20; g <= 20; ++g) along += window.value(24 * k(i, axis) - g) * window.value(24 * k(j, axis) - g);
        product *= along;
      }
      sum += product;
    }
    return sum;
  };
  std::vector<double> values;
  double mean = 0;
  double total = 0;
  for (Index i = 0; i < 400; ++i) {
    values.push_back(convolved([&](Index j) { return fine.weights.data()[j]; }, i));
    mean += fine.weights.data()[i] * values.back();
    total += fine.weights.data()[i];
  }
  mean /= total;
  double squares = 0;
  for (Index i = 0; i < 400; ++i) {
    const double w = fine.weights.data()[i];
    const double area = 1 / convolved([](Index) { return 1.0; }, i);
    const double lacks = values[static_cast<std::size_t>(i)] / mean - 1 + 1e-3 * (1 - mean * area / w);
    squares += w * lacks * lacks;
  }
  // The weights are those after the last step, which lessens the deviation.
  EXPECT_LE(std::sqrt(squares / total), fine.deviation);
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

#include "whorl/density/spiral_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/voronoi_density.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

// Arms of radius r(t), t in [0, 1], that turn with the angle given, in planes at the heights given.
Trajectory arms_of(const Context& ctx, Index arms, Index readout, const std::function<double(double)>& radius,
                   const std::function<double(double)>& angle, const std::vector<double>& heights = {}) {
  const auto planes = std::max<Index>(1, static_cast<Index>(heights.size()));
  const Index dim = heights.empty() ? 2 : 3;
  Trajectory trajectory{Array<double>(ctx, {planes * arms * readout, dim}), readout};
  const auto k = trajectory.points.view<2>();
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    const double t = double(sample % readout) / double(readout - 1);
    const double turn = angle(t) + 2 * pi * double(sample / readout % arms) / double(arms);
    k(sample, 0) = radius(t) * std::cos(turn);
    k(sample, 1) = radius(t) * std::sin(turn);
    if (dim == 3) k(sample, 2) = heights[static_cast<std::size_t>(sample / readout / arms)];
  }
  return trajectory;
}

TEST(SpiralDensity, OfAnArchimedeanSpiralGrowsWithTheRadius) {
  const Context ctx;
  constexpr Index readout = 40;
  const auto weights = spiral_density<double>(ctx, spiral_trajectory(ctx, 5, readout, 3));
  // Between the radii (i - 1/2) d and (i + 1/2) d lies an area of i d^2 per angle, in the center d^2 / 8.
  for (Index i = 0; i < 5 * readout; ++i) {
    const double expected = i % readout == 0 ? 0.125 : double(i % readout);
    EXPECT_NEAR(weights.data()[i] / weights.data()[1], expected, 1e-10 * expected);
  }
}

// The weights turn a sum over samples into an integral, of a Gaussian that is small where the arms end. The rule of
// midpoints in r^2 errs by less than 0.2 % for steps of 1/100 of the Gaussian's width or so; the arms cover all angles.
TEST(SpiralDensity, IntegratesOverVariableDensity) {
  const Context ctx;
  const double s = 0.15;
  const std::vector<std::function<double(double)>> radii{
      [](double t) { return 0.5 * t; },
      [](double t) { return 0.5 * t * t; },                 // slow at the center: a gradient that rises
      [](double t) { return 0.2 * t + 0.3 * t * t * t; },   // dense center
      [](double t) { return 0.5 * (1 - t); },               // inwards
      [](double t) { return 0.5 * std::abs(1 - 2 * t); }};  // in and out
  for (const auto& radius : radii) {
    const Trajectory trajectory = arms_of(ctx, 12, 601, radius, [](double t) { return 30 * std::sqrt(t); });
    const auto weights = spiral_density<double>(ctx, trajectory);
    const auto k = trajectory.points.view<2>();
    double total = 0;
    for (Index i = 0; i < k.extent(0); ++i) {
      total += weights.data()[i] * std::exp(-(k(i, 0) * k(i, 0) + k(i, 1) * k(i, 1)) / (s * s));
    }
    // The disk reaches half a step beyond the last sample: its area is pi / 4 to 1 %, so bounds are of 1.2 %.
    EXPECT_NEAR(total / double(k.extent(0)) * pi / 4, pi * s * s, 0.012 * pi * s * s);
  }
}

// Another method altogether: the areas that are nearer to a sample than to others. Densely sampled, the arms' cells are
// strips between the midlines to the turns beside them; they differ where turns are few (center) and at the end.
TEST(SpiralDensity, AgreesWithVoronoiCells) {
  const Context ctx({.threads = 2});
  const Trajectory trajectory = spiral_trajectory(ctx, 8, 400, 4);
  const auto spiral = spiral_density<double>(ctx, trajectory);
  const auto cells = voronoi_density<double>(ctx, trajectory.points);
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < spiral.size(); ++i) {
    const double r = std::hypot(trajectory.points.data()[2 * i], trajectory.points.data()[2 * i + 1]);
    if (r < 0.1 || r > 0.45) continue;
    difference += std::pow(spiral.data()[i] - cells.data()[i], 2);
    total += std::pow(spiral.data()[i], 2);
  }
  // The last turn's cells reach half a turn, 1/128, beyond its end, the formula's half a sample: 2 / 64 / 2 in area
  // and so in normalization, at most.
  EXPECT_LT(std::sqrt(difference / total), 0.04);
}

TEST(SpiralDensity, OfAStackHasTheThicknessOfThePlanes) {
  const Context ctx;
  const auto radius = [](double t) { return 0.4 * t; };
  const auto angle = [](double t) { return 9 * t; };
  const auto flat = spiral_density<double>(ctx, arms_of(ctx, 3, 20, radius, angle));
  // Planes at unequal distances, not in order.
  const auto stack = spiral_density<double>(ctx, arms_of(ctx, 3, 20, radius, angle, {0.1, -0.3, 0.2, -0.1}));
  const std::vector<double> thickness{0.15, 0.2, 0.1, 0.2};
  for (Index i = 0; i < stack.size(); ++i) {
    const double expected = flat.data()[i % 60] * thickness[std::size_t(i / 60)] / 0.65 * 4;
    EXPECT_NEAR(stack.data()[i], expected, 1e-10 * expected);
  }
  const auto one = spiral_density<double>(ctx, arms_of(ctx, 3, 20, radius, angle, {0.1}));
  for (Index i = 0; i < one.size(); ++i) EXPECT_NEAR(one.data()[i], flat.data()[i], 1e-12 * flat.data()[i]);
}

TEST(SpiralDensity, WhatIsNoSpiralIsRefused) {
  const Context ctx;
  const auto message_for = [&](const Trajectory& trajectory) -> std::string {
    try {
      spiral_density<float>(ctx, trajectory);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "accepted";
  };
  Trajectory trajectory = spiral_trajectory(ctx, 3, 20, 2);
  trajectory.readout_length = 0;
  EXPECT_NE(message_for(trajectory).find("not known"), std::string::npos);
  trajectory.readout_length = 7;
  EXPECT_NE(message_for(trajectory).find("whole number of readouts"), std::string::npos);
  trajectory.readout_length = 20;
  trajectory.points.data()[2 * 30] += 0.05;
  EXPECT_NE(message_for(trajectory).find("one curve, turned"), std::string::npos);
  EXPECT_NE(message_for({test::random_points(ctx, 50, 2), 50}).find("rises and falls"), std::string::npos);
  EXPECT_NE(message_for({zeros<double>(ctx, {50, 2}), 50}).find("center of k-space"), std::string::npos);
  EXPECT_NE(message_for(kooshball_trajectory(ctx, 5, 10)).find("expected"), std::string::npos);
  Trajectory cone = arms_of(
      ctx, 2, 20, [](double t) { return 0.4 * t; }, [](double t) { return 9 * t; }, {0.1});
  for (Index i = 0; i < 40; ++i) cone.points.data()[3 * i + 2] = 0.01 * double(i % 20);
  EXPECT_NE(message_for(cone).find("planes of constant kz"), std::string::npos);
  EXPECT_EQ(message_for(radial_trajectory(ctx, 5, 10, SpokeOrder::uniform)), "accepted");
}

}  // namespace
}  // namespace whorl

#include "whorl/trajectory/minimum_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

GradientLimits limits_of_test() { return {.amplitude_mt_per_m = 30, .slew_t_per_m_s = 120, .pixel_mm = 1.3}; }

TEST(MinimumTime, StraightLinesTakeTheAnalyticTime) {
  const Context ctx;
  const GradientLimits limits = limits_of_test();
  const double v = limits.speed();
  const double a = limits.acceleration();
  for (const double length : {0.1 * v * v / a, 0.999 * v * v / a, 5 * v * v / a}) {
    // An uneven parameter: only the path counts.
    const KCurve line = [length](double p) -> KPoint {
      const double along = length * (p + p * p) / 2;
      return {along * 2 / 3, along / 3, -along * 2 / 3};
    };
    const double expected = length < v * v / a ? 2 * std::sqrt(length / a) : length / v + v / a;
    const double from_rest = length < v * v / a / 2 ? std::sqrt(2 * length / a) : length / v + v / (2 * a);
    // The acceleration changes within a step only; a step of 1/4000 of the length is passed in 2e-4 of the time or so,
    // and is slower by the square of the change of speed in it.
    const Motion stop = minimum_time_motion(ctx, line, limits, CurveEnd::at_rest);
    EXPECT_NEAR(stop.duration_us / expected, 1, 1e-6);
    EXPECT_GE(stop.duration_us / expected, 1 - 1e-12);
    EXPECT_LT(std::abs(stop.end_velocity[0]), 1e-15);
    const Motion go = minimum_time_motion(ctx, line, limits, CurveEnd::moving);
    EXPECT_NEAR(go.duration_us / from_rest, 1, 1e-6);
    const double speed = std::min(v, std::sqrt(2 * a * length));
    EXPECT_NEAR(go.end_velocity[0], speed * 2 / 3, 1e-9 * speed);
    EXPECT_NEAR(go.end_velocity[2], -speed * 2 / 3, 1e-9 * speed);
    // Half a trapezoid's way takes half its time.
    const KPoint middle = stop.position(stop.duration_us / 2);
    EXPECT_NEAR(middle[0], length / 3, 1e-6 * length);
  }
}

TEST(MinimumTime, CirclesTakeTheAnalyticTime) {
  const Context ctx;
  const GradientLimits limits = limits_of_test();
  const double a = limits.acceleration();
  // On a circle of radius r the squared speed u follows du/ds = 2 sqrt(a^2 - (u / r)^2). So u = a r sin(2 s / r) until
  // it is a r at s = pi r / 4, where all of the slew rate is needed for the turn. Time to there: with s = r x, sqrt(r /
  // a) times the integral of dx / sqrt(sin(2 x)) from 0 to pi/4, which is 1.31102877714606 (half of the lemniscate
  // constant). From there on the speed is sqrt(a r). The radius is one at which the amplitude is no limit.
  const double r = 0.5 * std::pow(limits.speed(), 2) / a;
  const KCurve circle = [r](double p) -> KPoint {
    const double angle = 2 * pi * p;
    return {r * std::sin(angle), 0.6 * r * (1 - std::cos(angle)), 0.8 * r * (1 - std::cos(angle))};
  };
  const double expected = std::sqrt(r / a) * (1.31102877714606 + 2 * pi - pi / 4);
  const Motion motion = minimum_time_motion(ctx, circle, limits, CurveEnd::moving);
  // Second order in steps of 2 pi / 4000; at the start the speed is as the root of the way, which the rule has exactly.
  EXPECT_NEAR(motion.duration_us / expected, 1, 1e-5);
  const double speed = std::sqrt(a * r);
  EXPECT_NEAR(motion.end_velocity[0] / speed, 1, 1e-5);
  EXPECT_NEAR(motion.end_velocity[1] / speed, 0, 1e-5);
}

// Curvature that rises and falls, in space.
KPoint knot(double p) {
  const double u = 2 * pi * p;
  return {0.15 * (std::sin(u) + 2 * std::sin(2 * u)), 0.15 * (std::cos(u) - 2 * std::cos(2 * u)) + 0.15,
          -0.1 * std::sin(3 * u)};
}

TEST(MinimumTime, IsAtALimitAllTheTimeAndNeverAbove) {
  const Context ctx;
  const GradientLimits limits = limits_of_test();
  const std::array<KCurve, 4> curves{spiral_curve(12, 1), spiral_curve(20, 2), spiral_curve(2, 1), knot};
  for (std::size_t curve = 0; curve < curves.size(); ++curve) {
    for (const CurveEnd end : {CurveEnd::moving, CurveEnd::at_rest}) {
      const std::array<Motion, 1> motions{minimum_time_motion(ctx, curves[curve], limits, end)};
      const Gradients gradients = make_gradients(ctx, motions, limits, 2, 3);
      const auto g = gradients.mt_per_m.view<3>();
      const auto slew = slew_rates(ctx, gradients);
      Index at_limit = 0;
      // The last raster is not whole; the one before it is the last of the motion.
      const Index last = g.extent(1) - 1;
      for (Index i = 1; i < last; ++i) {
        const double amplitude = std::hypot(g(0, i, 0), g(0, i, 1), g(0, i, 2));
        const double rate = slew.view<2>()(0, i);
        ASSERT_LT(amplitude, 30 * (1 + 1e-9)) << curve << ' ' << i;
        ASSERT_LT(rate, 120 * 1.005) << curve << ' ' << i;
        // Means over 2 us of a vector that turns are shorter by the square of the angle over 24: at 120 T/m/s and above
        // 10 mT/m less than 1e-4; near the start of a spiral the direction of the slew rate turns fast too.
        if (amplitude > 30 * 0.99 || rate > 120 * 0.99) ++at_limit;
      }
      EXPECT_GT(static_cast<double>(at_limit), 0.985 * static_cast<double>(last)) << curve;
      if (end == CurveEnd::at_rest) {
        EXPECT_LT(std::hypot(g(0, last, 0), g(0, last, 1), g(0, last, 2)), 120 * 2e-3 * 1.01);
      }
    }
  }
}

TEST(MinimumTime, RunsAlongTheCurve) {
  const Context ctx;
  const Motion motion = minimum_time_motion(ctx, knot, limits_of_test(), CurveEnd::at_rest);
  for (double t = 0; t <= motion.duration_us; t += motion.duration_us / 50) {
    const KPoint k = motion.position(t);
    // The parameter is known from z up to its branch; the nearest of many points of the curve is near.
    double nearest = 1;
    for (int i = 0; i <= 20000; ++i) {
      const KPoint on = knot(i / 20000.0);
      nearest = std::min(nearest, std::hypot(on[0] - k[0], on[1] - k[1], on[2] - k[2]));
    }
    // Steps of the search are at most 2 pi (0.15 (1 + 4) + 0.3) / 20000 = 3.3e-4 long.
    EXPECT_LT(nearest, 1.7e-4);
  }
}

TEST(MinimumTime, CurvesThatCanNotBeAreRefused) {
  const Context ctx;
  const GradientLimits limits;
  const auto design = [&](const KCurve& curve) { minimum_time_motion(ctx, curve, limits, CurveEnd::at_rest); };
  EXPECT_THROW(design([](double) -> KPoint { return {0.1, 0, 0}; }), ValueError);
  EXPECT_THROW(design([](double p) -> KPoint { return {1 / p, 0, 0}; }), ValueError);
  try {
    design([](double p) -> KPoint { return {p, std::abs(p - 0.25), 0}; });
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("corner of 90 degrees at parameter 0.250"), std::string::npos)
        << error.what();
  }
  GradientLimits none;
  none.slew_t_per_m_s = 0;
  EXPECT_THROW(minimum_time_motion(ctx, knot, none, CurveEnd::moving), ValueError);
  ctx.request_cancel();
  EXPECT_THROW(design(knot), Cancelled);
}

}  // namespace
}  // namespace whorl

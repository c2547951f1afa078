// The gradient impulse response, against delays and against convolutions in time.
#include "whorl/correct/gradient_response.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

constexpr double dwell_us = 4;

// A diagonal response, given for each axis, from 0 to the highest frequency of the samples.
GradientResponse diagonal(const std::function<Complex(int axis, double hertz)>& response, double spacing_hz) {
  GradientResponse made;
  const Context ctx;
  const auto count = static_cast<Index>(1e6 / dwell_us / 2 / spacing_hz) + 2;
  made.gradient = zeros<Complex>(ctx, {count, 3, 3});
  for (Index i = 0; i < count; ++i) {
    made.frequencies_hz.push_back(static_cast<double>(i) * spacing_hz);
    for (int axis = 0; axis < 3; ++axis) {
      made.gradient.view<3>()(i, axis, axis) = response(axis, made.frequencies_hz.back());
    }
  }
  return made;
}

GradientResponse delay_response(const std::array<double, 3>& us, double spacing_hz) {
  return diagonal(
      [&us](int axis, double hertz) {
        return std::polar(1.0, -2e-6 * std::numbers::pi * hertz * us[static_cast<std::size_t>(axis)]);
      },
      spacing_hz);
}

Trajectory spiral(const Context& ctx) {
  DesignOptions design;
  design.limits.pixel_mm = 220.0 / 96;
  design.dwell_us = dwell_us;
  return designed_spiral(ctx, 6, 8, 1, design).trajectory;
}

double largest_difference(const Trajectory& a, const Trajectory& b) {
  double most = 0;
  for (Index i = 0; i < a.points.size(); ++i) most = std::max(most, std::abs(a.points.data()[i] - b.points.data()[i]));
  return most;
}

// Readouts from the center wait before they begin; the response's delay is a shift by whole samples.
TEST(GradientResponse, DelaysReadoutsByWholeSamples) {
  const Context ctx({.threads = 2});
  const Trajectory nominal = spiral(ctx);
  const PlayedTrajectory made =
      played(ctx, nominal, delay_response({2 * dwell_us, 3 * dwell_us, 0}, 20), {.dwell_us = dwell_us});
  const Trajectory expected = delayed(ctx, nominal, {.x = -2, .y = -3});
  // Linear interpolation of a turn of phi between two frequencies errs by phi^2 / 8: phi = 2 pi 20 Hz 12 us = 1.5e-3,
  // 2.8e-7 of the gradient, whose sum is at most 1/2 + a readout's path of some turns.
  EXPECT_LT(largest_difference(made.trajectory, expected), 1e-6);
  EXPECT_GT(largest_difference(made.trajectory, nominal), 1e-3);
  EXPECT_EQ(made.turns.size(), 0);
}

TEST(GradientResponse, DelaysSpokesLikeDelays) {
  const Context ctx;
  const Trajectory nominal = radial_trajectory(ctx, 7, 128, SpokeOrder::golden_angle);
  const PlayedTrajectory made = played(ctx, nominal, delay_response({1.2, -0.7, 0}, 20), {.dwell_us = dwell_us});
  // Where the gradient is flat, a shift in time is a shift along the spoke. Its ramps begin 100 us = 25 samples before, where
  // the slope of the gradient jumps by 1/50 of a step per sample; its Fourier interpolation rings with 1 / (pi n)^2 of
  // that at n samples: 1/50 / 6000 = 3e-6 steps of 1/128, 3e-8. The ends at |k| = 1/2 are cut in both.
  EXPECT_LT(largest_difference(made.trajectory, delayed(ctx, nominal, {.x = -0.3, .y = 0.175})), 1e-7);
  EXPECT_GT(largest_difference(made.trajectory, nominal), 1e-3);
}

// A response with memory, as those of eddy currents: g - a d/dt (g * exp(-t/T)) in time.
TEST(GradientResponse, IsAConvolutionInTime) {
  const Context ctx;
  const Trajectory nominal = spiral(ctx);
  constexpr double part = 0.03;
  constexpr double time_us = 60;
  // The discrete filter y_n = q y_(n-1) + (g_n - g_(n-1)), whose transfer function is known exactly.
  const double q = std::exp(-dwell_us / time_us);
  const auto transfer = [&](double hertz) {
    const Complex z = std::polar(1.0, -2e-6 * std::numbers::pi * hertz * dwell_us);
    return 1.0 - part * (1.0 - z) / (1.0 - q * z);
  };
  const PlayedTrajectory made =
      played(ctx, nominal, diagonal([&](int, double hertz) { return transfer(hertz); }, 20), {.dwell_us = dwell_us});
  Trajectory expected{clone(ctx, nominal.points.ref()), nominal.readout_length};
  const auto k = expected.points.view<2>();
  const auto from = nominal.points.view<2>();
  for (Index first = 0; first < nominal.samples(); first += nominal.readout_length) {
    for (Index axis = 0; axis < 2; ++axis) {
      double filtered = 0;
      double before = 0;
      double place = from(first, axis);
      for (Index i = 0; i < nominal.readout_length; ++i) {
        k(first + i, axis) = place;
        if (i + 1 == nominal.readout_length) break;
        const double step = from(first + i + 1, axis) - from(first + i, axis);
        filtered = q * filtered + step - before;
        before = step;
        place += step - part * filtered;
      }
    }
  }
  // The response bends over 1 / (2 pi 60 us) = 2.7 kHz: interpolating it over 20 Hz errs by 0.03 (20/2700)^2 / 8 = 2e-7.
  EXPECT_LT(largest_difference(made.trajectory, expected), 1e-6);
  EXPECT_GT(largest_difference(made.trajectory, nominal), 1e-3);
}

// Axes of the scanner that are not those of the image, cross terms, pixels that differ.
TEST(GradientResponse, ActsAlongTheAxesOfThePatient) {
  const Context ctx;
  const Trajectory nominal = kooshball_trajectory(ctx, 20, 64);
  const double c = std::cos(0.4);
  const double s = std::sin(0.4);
  ReadoutPlay play{.dwell_us = dwell_us, .pixel_mm = {2, 1, 3}, .directions = {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}}};
  // Constant gains need no lead: a matrix at all frequencies.
  const std::array<std::array<double, 3>, 3> gain{{{1.1, 0.02, 0}, {0, 0.95, -0.03}, {0.01, 0, 1}}};
  GradientResponse response{.frequencies_hz = {0, 125000}, .gradient = zeros<Complex>(ctx, {2, 3, 3}), .field = {}};
  for (Index f = 0; f < 2; ++f) {
    for (std::size_t i = 0; i < 9; ++i) response.gradient.data()[f * 9 + static_cast<Index>(i)] = gain[i / 3][i % 3];
  }
  response.field = zeros<Complex>(ctx, {2, 3});
  for (Index f = 0; f < 2; ++f) response.field.view<2>()(f, 1) = 1e-3;  // m
  const PlayedTrajectory made = played(ctx, nominal, response, play, {.flat_us = 0, .ramp_us = 0});
  for (const Index sample : {Index{3}, Index{40}, Index{64 * 7 + 20}}) {
    const Index first = sample - sample % 64;
    std::array<double, 3> patient{};
    std::array<double, 3> out{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Index>(axis);
      const double moved = nominal.points.view<2>()(sample, a) - nominal.points.view<2>()(first, a);
      for (std::size_t row = 0; row < 3; ++row)
        patient[row] += play.directions[axis][row] * moved / play.pixel_mm[axis];
    }
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t from = 0; from < 3; ++from) out[row] += gain[row][from] * patient[from];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Index>(axis);
      double expected = nominal.points.view<2>()(first, a);
      for (std::size_t row = 0; row < 3; ++row) expected += play.pixel_mm[axis] * play.directions[axis][row] * out[row];
      // Transforms of some hundred numbers of size 1/64: rounding of double
      EXPECT_NEAR(made.trajectory.points.view<2>()(sample, a), std::clamp(expected, -0.5, 0.5), 1e-13) << sample;
    }
    // 1e-3 m times cycles per m
    EXPECT_NEAR(made.turns.data()[sample], 1e-3 * 1000 * patient[1], 1e-12);
  }
}

TEST(GradientResponse, RefusesWhatIsNone) {
  const Context ctx;
  const Trajectory nominal = radial_trajectory(ctx, 3, 64, SpokeOrder::uniform);
  const ReadoutPlay play{.dwell_us = dwell_us};
  GradientResponse good = delay_response({0, 0, 0}, 1000);
  const auto changed = [&](const std::function<void(GradientResponse&)>& change) {
    GradientResponse made{good.frequencies_hz, clone(ctx, good.gradient.ref()), {}};
    change(made);
    return made;
  };
  EXPECT_NO_THROW(played(ctx, nominal, good, play));
  EXPECT_THROW(played(ctx, nominal, GradientResponse{}, play), ShapeError);
  EXPECT_THROW(played(ctx, nominal, changed([](auto& r) { r.frequencies_hz[1] = r.frequencies_hz[0]; }), play),
               ValueError);
  EXPECT_THROW(played(ctx, nominal, changed([](auto& r) { r.frequencies_hz.pop_back(); }), play), ShapeError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(played(ctx, nominal, changed([&](auto& r) { r.gradient.data()[5] = nan; }), play), ValueError);
  EXPECT_THROW(played(ctx, nominal, good, {.dwell_us = 0}), ValueError);
  EXPECT_THROW(played(ctx, nominal, good, {.dwell_us = dwell_us, .pixel_mm = {1, 0, 1}}), ValueError);
  ReadoutPlay bent = play;
  bent.directions[1] = {0.5, 0.5, 0};
  EXPECT_THROW(played(ctx, nominal, good, bent), ValueError);
  EXPECT_THROW(played(ctx, Trajectory{clone(ctx, nominal.points.ref()), 0}, good, play), ValueError);
  // A response up to 1 kHz says nothing of a designed spiral.
  GradientResponse narrow{{0, 1000}, zeros<Complex>(ctx, {2, 3, 3}), {}};
  for (Index i = 0; i < 6; ++i) narrow.gradient.data()[i / 3 * 9 + i % 3 * 4] = 1;
  try {
    static_cast<void>(played(ctx, spiral(ctx), narrow, play));
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("lies beyond its last frequency of 1000 Hz"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace whorl

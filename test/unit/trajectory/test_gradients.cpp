// Limits, motions and the waveforms that drive them.
#include "whorl/trajectory/gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/cones.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/rosette.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

TEST(GradientLimits, UnitsAreThoseOfTheScanner) {
  // 1H in 40 mT/m: 42.577e6 * 0.040 = 1.70308e6 cycles per meter and second; a pixel of 2 mm and a microsecond.
  const GradientLimits limits{
      .amplitude_mt_per_m = 40, .slew_t_per_m_s = 150, .gamma_mhz_per_t = 42.577, .pixel_mm = 2};
  EXPECT_NEAR(limits.speed(), 1.70308e6 * 2e-3 * 1e-6, 1e-17);
  EXPECT_NEAR(limits.acceleration(), 42.577e6 * 150 * 2e-3 * 1e-12, 1e-19);
  EXPECT_NEAR(limits.speed() * limits.amplitude_per_speed(), 40, 1e-12);
}

TEST(GradientLimits, NucleiByNameOrNumber) {
  EXPECT_EQ(gyromagnetic_ratio("1H"), 42.577);
  EXPECT_EQ(gyromagnetic_ratio("23Na"), 11.262);
  EXPECT_EQ(gyromagnetic_ratio("129Xe"), 11.777);
  EXPECT_EQ(gyromagnetic_ratio("17.5"), 17.5);
  for (const std::string& nucleus : nucleus_names()) EXPECT_GT(gyromagnetic_ratio(nucleus), 5) << nucleus;
  EXPECT_EQ(nucleus_names().size(), 10U);
  for (const char* bad : {"", "Na", "0", "-3", "nan", "inf", "12MHz"}) {
    EXPECT_THROW(gyromagnetic_ratio(bad), ValueError) << bad;
  }
}

TEST(GradientLimits, EachMustBePositive) {
  const std::array<double GradientLimits::*, 4> members{&GradientLimits::amplitude_mt_per_m,
                                                        &GradientLimits::slew_t_per_m_s,
                                                        &GradientLimits::gamma_mhz_per_t, &GradientLimits::pixel_mm};
  for (const auto member : members) {
    for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      GradientLimits limits;
      limits.*member = bad;
      EXPECT_THROW(check_gradient_limits("test", limits), ValueError);
    }
  }
}

TEST(Motion, StraightLinesAreTrapezoidsOrTriangles) {
  const GradientLimits limits;
  const double v = limits.speed();
  const double a = limits.acceleration();
  for (const double length : {0.3 * v * v / a, 4 * v * v / a}) {
    const KPoint from{0.1, -0.2, 0.3};
    const KPoint to{0.1 + length * 2 / 3, -0.2 - length / 3, 0.3 + length * 2 / 3};
    const Motion motion = straight_motion(from, to, limits);
    const double expected = length < v * v / a ? 2 * std::sqrt(length / a) : length / v + v / a;
    EXPECT_NEAR(motion.duration_us, expected, 1e-9 * expected);
    // Half way at half the time; the first quarter by constant acceleration where it is a triangle.
    const KPoint half = motion.position(motion.duration_us / 2);
    EXPECT_NEAR(half[0], from[0] + length / 3, 1e-14);
    const KPoint early = motion.position(0.1 * v / a);
    EXPECT_NEAR(early[1], from[1] - a * std::pow(0.1 * v / a, 2) / 6, 1e-14);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(motion.position(0)[axis], from[axis], 1e-15);
      EXPECT_NEAR(motion.position(motion.duration_us)[axis], to[axis], 1e-15);
    }
  }
  EXPECT_EQ(straight_motion({0, 0, 0}, {0, 0, 0}, limits).duration_us, 0);
  EXPECT_THROW(straight_motion({0, 0, 0}, {0, std::nan(""), 0}, limits), ValueError);
}

// Starts at full speed and stays there for 100 us.
Motion coast(const GradientLimits& limits) {
  const double v = limits.speed();
  return {[v](double t) -> KPoint { return {0, v * t, 0}; }, 100, {0, v, 0}};
}

TEST(Motion, RampAndRewinderEndAtRest) {
  const GradientLimits limits;
  const double v = limits.speed();
  const double ramp = v / limits.acceleration();
  const Motion down = with_ramp_down(coast(limits), limits);
  EXPECT_NEAR(down.duration_us, 100 + ramp, 1e-9);
  EXPECT_NEAR(down.position(50)[1], 50 * v, 1e-15);
  EXPECT_NEAR(down.position(100 + ramp / 2)[1], v * (100 + ramp / 2 - ramp / 8), 1e-14);
  EXPECT_NEAR(down.position(down.duration_us)[1], v * (100 + ramp / 2), 1e-14);
  EXPECT_EQ(with_ramp_down(down, limits).duration_us, down.duration_us);
  const Motion rewound = with_rewinder(coast(limits), limits);
  const double way = v * (100 + ramp / 2);
  EXPECT_NEAR(rewound.duration_us, down.duration_us + 2 * std::sqrt(way / limits.acceleration()), 1e-9);
  EXPECT_NEAR(rewound.position(rewound.duration_us)[1], 0, 1e-15);
}

TEST(Motion, SlowerIsTheSamePath) {
  const GradientLimits limits;
  const Motion slow = slowed_to(coast(limits), 250);
  EXPECT_NEAR(slow.position(125)[1], coast(limits).position(50)[1], 1e-15);
  EXPECT_NEAR(slow.end_velocity[1], limits.speed() * 0.4, 1e-15);
  EXPECT_THROW(slowed_to(coast(limits), 99), ValueError);
  EXPECT_THROW(slowed_to(coast(limits), std::numeric_limits<double>::infinity()), ValueError);
  const Motion rest = straight_motion({0, 0, 0}, {0, 0, 0}, limits);
  EXPECT_EQ(slowed_to(rest, 10).duration_us, 0);
}

TEST(Gradients, SumIsK) {
  const Context ctx;
  const GradientLimits limits{.pixel_mm = 0.5};
  const std::array<Motion, 2> motions{straight_motion({0, 0, 0}, {0.3, 0, 0.1}, limits),
                                      straight_motion({0, 0, 0}, {0, 0.01, 0}, limits)};
  const Gradients gradients = make_gradients(ctx, motions, limits, 4, 3);
  const auto g = gradients.mt_per_m.view<3>();
  EXPECT_EQ(g.extent(1), static_cast<Index>(std::ceil(motions[0].duration_us / 4)));
  KPoint sum{0, 0, 0};
  for (Index i = 0; i < g.extent(1); ++i) {
    for (Index axis = 0; axis < 3; ++axis) sum[static_cast<std::size_t>(axis)] += g(0, i, axis);
  }
  // gamma in cycles/us/mT, mT/m, us, m: 42.577e-3 sum 4 0.5e-3.
  EXPECT_NEAR(sum[0] * 42.577e-3 * 4 * 0.5e-3, 0.3, 1e-13);
  EXPECT_NEAR(sum[2] * 42.577e-3 * 4 * 0.5e-3, 0.1, 1e-13);
  EXPECT_EQ(g(1, g.extent(1) - 1, 1), 0);
  const GradientPeaks peaks = gradient_peaks(ctx, gradients);
  EXPECT_NEAR(peaks.amplitude_mt_per_m, 40, 1e-9);
  EXPECT_NEAR(peaks.slew_t_per_m_s, 150, 1e-7);
  // The first value is the mean of half a raster's rise.
  EXPECT_NEAR(slew_rates(ctx, gradients).data()[0], 75, 1e-7);
}

// The gradient of an axis at a time: its values at the centers of raster cells, linear between them, 0 at both ends.
double gradient_at(const Gradients& gradients, Index waveform, Index axis, double time) {
  const auto g = gradients.mt_per_m.view<3>();
  const double cell = time / gradients.raster_us - 0.5;
  const auto steps = static_cast<double>(g.extent(1));
  if (cell < 0) return (2 * cell + 1) * g(waveform, 0, axis);
  if (cell > steps - 1) return std::max(0.0, 2 * (steps - 0.5 - cell)) * g(waveform, g.extent(1) - 1, axis);
  const auto i = std::min(static_cast<Index>(cell), g.extent(1) - 2);
  const double part = cell - static_cast<double>(i);
  return (1 - part) * g(waveform, i, axis) + part * g(waveform, i + 1, axis);
}

// k of each readout is gamma times the integral of what is played, by the trapezoid rule over half rasters and the rest, which is
// exact for linear parts. Sums of up to 2000 numbers below 0.6 round to 1e-13.
void expect_played(const DesignedTrajectory& design, const GradientLimits& limits) {
  const auto k = design.trajectory.points.view<2>();
  const Index length = design.trajectory.readout_length;
  const double raster = design.gradients.raster_us;
  const double scale = 1e-6 * 1e6 * limits.gamma_mhz_per_t * 1e-3 * 1e-3 * limits.pixel_mm;  // cycles/pixel per mT/m us
  for (std::size_t readout = 0; readout < design.played.size(); ++readout) {
    const PlayedWaveform& played = design.played[readout];
    const auto waveform = static_cast<Index>(played.waveform);
    std::array<double, 3> reached{};  // at the last half raster
    double at = 0;
    for (Index i = 0; i < length; ++i) {
      const double time = static_cast<double>(i) * design.dwell_us;
      std::array<double, 3> position{};
      const auto area = [&](Index axis, double from, double to) {
        return scale * (to - from) / 2 *
               (gradient_at(design.gradients, waveform, axis, from) +
                gradient_at(design.gradients, waveform, axis, to));
      };
      for (; at + raster / 2 <= time; at += raster / 2) {
        for (Index axis = 0; axis < design.gradients.mt_per_m.extent(2); ++axis) {
          reached[static_cast<std::size_t>(axis)] += area(axis, at, at + raster / 2);
        }
      }
      for (Index axis = 0; axis < design.gradients.mt_per_m.extent(2); ++axis) {
        const double along = reached[static_cast<std::size_t>(axis)] + area(axis, at, time);
        for (std::size_t d = 0; d < 3; ++d) position[d] += along * played.axes[static_cast<std::size_t>(axis)][d];
      }
      for (Index d = 0; d < k.extent(1); ++d) {
        ASSERT_NEAR(k(static_cast<Index>(readout) * length + i, d), position[static_cast<std::size_t>(d)], 1e-13)
            << "readout " << readout << " sample " << i;
      }
    }
  }
}

TEST(Gradients, TrajectoriesAreThosePlayed) {
  const Context ctx;
  DesignOptions options;
  options.limits.pixel_mm = 2.5;
  expect_played(designed_spiral(ctx, 5, 6, 1.3, options), options.limits);
  options.end = GradientEnd::rewind;
  options.dwell_us = 3;
  expect_played(designed_rosette(ctx, 3, 4, 3, options), options.limits);
  options.raster_us = 4;
  expect_played(designed_cones(ctx, {.cones = 4, .interleaves = 2, .matrix = 24}, options), options.limits);
  options.limits.amplitude_mt_per_m = 8;
  expect_played(density_adapted_radial(ctx, kooshball_directions(3, {.center_out = true}), 0.4, 3, options),
                options.limits);
}

TEST(Gradients, BadTimesAreRefused) {
  const Context ctx;
  const GradientLimits limits;
  const std::array<Motion, 1> motions{straight_motion({0, 0, 0}, {0.3, 0, 0}, limits)};
  EXPECT_THROW(make_gradients(ctx, {}, limits, 4, 3), ValueError);
  EXPECT_THROW(make_gradients(ctx, motions, limits, 0, 3), ValueError);
  EXPECT_THROW(make_gradients(ctx, motions, limits, 1e-9, 3), ValueError);
  const std::array<Shot, 1> shots{};
  EXPECT_THROW(sample_motions(ctx, {}, shots, {}, 2), ValueError);
  EXPECT_THROW(sample_motions(ctx, motions, {}, {}, 2), ValueError);
  EXPECT_THROW(sample_motions(ctx, motions, shots, {.dwell_us = 0}, 2), ValueError);
  EXPECT_THROW(sample_motions(ctx, motions, shots, {.dwell_us = 1e9}, 2), ValueError);
  ctx.request_cancel();
  EXPECT_THROW(make_gradients(ctx, motions, limits, 4, 3), Cancelled);
}

}  // namespace
}  // namespace whorl

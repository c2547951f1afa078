#include "whorl/trajectory/twisted_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

using std::numbers::pi;
constexpr const char* twist_operation = "twisted projection";

double polar_angle_of(Index cone, Index cones) {
  return (static_cast<double>(cone) + 0.5) * pi / static_cast<double>(cones);
}

// The transverse speed w and the azimuth after k0, in small equal steps of time.
struct Twist {
  double t0 = 0;
  double step = 0;
  std::vector<double> azimuth;
  std::vector<double> rate;  // of the azimuth

  // Cubic Hermite interpolation between the steps.
  double at(double t) const {
    const double place = std::clamp((t - t0) / step, 0.0, static_cast<double>(azimuth.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(place), azimuth.size() - 2);
    const double x = place - static_cast<double>(i);
    return azimuth[i] + (azimuth[i + 1] - azimuth[i]) * x * x * (3 - 2 * x) +
           step * x * (1 - x) * (rate[i] * (1 - x) - rate[i + 1] * x);
  }
};

// Integrates w with the remaining slew rate. In the frame of a cone of polar angle b the acceleration is
//   along the radius     k'' - w^2 / k
//   along the meridian   -w^2 cot b / k
//   along the azimuth    w' + k' w / k
class TwistIntegration {
 public:
  TwistIntegration(double polar_angle, double k0, const GradientLimits& limits)
      : sine_(std::sin(polar_angle)),
        cotangent_(std::cos(polar_angle) / sine_),
        k0_(k0),
        speed_(limits.speed()),
        acceleration_(limits.acceleration()) {}

  Twist run(double t0, double duration, std::size_t steps) const {
    Twist twist{t0, duration / static_cast<double>(steps), {0}, {0}};
    double w = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      // The rise over a step by the slope in its middle.
      const double start = twist.step * static_cast<double>(i);
      const double middle = std::max(0.0, w + twist.step / 2 * steepest(start, w));
      const double end = start + twist.step;
      w = std::min(std::max(0.0, w + twist.step * steepest(start + twist.step / 2, middle)), ideal(end));
      const double rate = w / (radius(end) * sine_);
      twist.azimuth.push_back(twist.azimuth.back() + twist.step * (twist.rate.back() + rate) / 2);
      twist.rate.push_back(rate);
    }
    return twist;
  }

 private:
  double radius(double since) const { return std::cbrt(k0_ * k0_ * (k0_ + 3 * speed_ * since)); }
  double ideal(double since) const { return speed_ * std::sqrt(std::max(0.0, 1 - std::pow(k0_ / radius(since), 4))); }

  double steepest(double since, double w) const {
    const double k = radius(since);
    const double outward = speed_ * std::pow(k0_ / k, 2);
    const double along_radius = -2 * outward * outward / k - w * w / k;
    const double along_meridian = w * w * cotangent_ / k;
    const double left = acceleration_ * acceleration_ - along_radius * along_radius - along_meridian * along_meridian;
    return std::sqrt(std::max(0.0, left)) - outward * w / k;
  }

  double sine_;
  double cotangent_;
  double k0_;
  double speed_;
  double acceleration_;
};

void check(const TwistedProjectionOptions& options) {
  check_options(options);
  constexpr Index most_cones = 10000;  // each takes 20000 steps in memory
  constexpr double most = 1e5;
  if (options.cones > most_cones || options.matrix * options.fraction / options.reduction > most) {
    throw ValueError(fmt::format("{}: {} cones and a matrix size of {} with a reduction of {} are too many readouts",
                                 twist_operation, options.cones, options.matrix, options.reduction));
  }
}

}  // namespace

Index twisted_readouts(const TwistedProjectionOptions& options, Index cone) {
  check(options);
  const double sine = std::sin(polar_angle_of(cone, options.cones));
  return std::max<Index>(1, std::llround(std::ceil(pi * options.fraction * options.matrix * sine / options.reduction)));
}

Motion twisted_projection_motion(double polar_angle, double fraction, const GradientLimits& limits) {
  if (!(polar_angle > 0 && polar_angle < pi)) {
    throw ValueError(fmt::format("{}: expected a polar angle between 0 and pi, got {}", twist_operation, polar_angle));
  }
  const Motion straight = density_adapted_motion(fraction, 3, limits);
  const double k0 = fraction / 2;
  const double speed = limits.speed();
  const double t0 = speed / limits.acceleration() / 2 + k0 / speed;
  constexpr std::size_t steps = 20000;
  const double twisted = std::max(straight.duration_us - t0, 0.0);
  const auto twist = std::make_shared<const Twist>(
      twisted > 0 ? TwistIntegration(polar_angle, k0, limits).run(t0, twisted, steps) : Twist{t0, 1, {0, 0}, {0, 0}});
  const double sine = std::sin(polar_angle);
  const double cosine = std::cos(polar_angle);
  const auto position = [=](double t) -> KPoint {
    const double k = straight.position(t)[0];
    const double azimuth = twist->at(t);
    return {k * sine * std::cos(azimuth), k * sine * std::sin(azimuth), k * cosine};
  };
  const double azimuth = twist->azimuth.back();
  const double outward = straight.end_velocity[0];
  const double across = twist->rate.back() * sine / 2;
  return {position,
          straight.duration_us,
          {outward * sine * std::cos(azimuth) - across * std::sin(azimuth),
           outward * sine * std::sin(azimuth) + across * std::cos(azimuth), outward * cosine}};
}

DesignedTrajectory twisted_projection(const Context& ctx, const TwistedProjectionOptions& options,
                                      const DesignOptions& design) {
  check(options);
  std::vector<Motion> motions;
  std::vector<Shot> shots;
  ProgressStage stage(ctx, "designing twisted projections", options.cones);
  for (Index cone = 0; cone < options.cones; ++cone) {
    motions.push_back(twisted_projection_motion(polar_angle_of(cone, options.cones), options.fraction, design.limits));
    const Index readouts = twisted_readouts(options, cone);
    for (Index readout = 0; readout < readouts; ++readout) {
      shots.push_back(
          {static_cast<std::size_t>(cone), 2 * pi * static_cast<double>(readout) / static_cast<double>(readouts)});
    }
    stage.advance();
  }
  return sample_motions(ctx, motions, shots, design, 3);
}

}  // namespace whorl

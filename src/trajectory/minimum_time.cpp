#include "whorl/trajectory/minimum_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "trajectory/curve_steps.hpp"
#include "trajectory/points.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using detail::CurveSteps;

// The largest squared speed after a step of length `length`, from the squared speed u at its start. With d half of the
// change and c the curvature in the middle, the acceleration there is at its limit a:
//   (d / length)^2 + c^2 (u + d)^2 = a^2
double fastest_after(double u, double length, double curvature, double acceleration) {
  const double inverse = 1 / (length * length);
  const double bend = curvature * curvature;
  const double rest = (acceleration * acceleration - bend * u * u) * inverse + bend * acceleration * acceleration;
  return u + 2 * (std::sqrt(std::max(0.0, rest)) - bend * u) / (inverse + bend);
}

// Squared speeds at the points between the steps.
std::vector<double> squared_speeds(const CurveSteps& steps, const GradientLimits& limits, CurveEnd end) {
  const std::size_t count = steps.length.size();
  const double acceleration = limits.acceleration();
  const double fastest = limits.speed() * limits.speed();
  std::vector<double> u(count + 1);
  for (std::size_t i = 0; i <= count; ++i) {
    const double bend = std::max(i > 0 ? steps.curvature[i - 1] : 0, i < count ? steps.curvature[i] : 0);
    u[i] = bend * fastest > acceleration ? acceleration / bend : fastest;
  }
  u.front() = 0;
  if (end == CurveEnd::at_rest) u.back() = 0;
  for (std::size_t i = 0; i < count; ++i) {
    u[i + 1] = std::min(u[i + 1], fastest_after(u[i], steps.length[i], steps.curvature[i], acceleration));
  }
  for (std::size_t i = count; i-- > 0;) {
    u[i] = std::min(u[i], fastest_after(u[i + 1], steps.length[i], steps.curvature[i], acceleration));
  }
  return u;
}

// The curve's parameter at a time: within a step the speed along the curve changes linearly with time.
class Timetable {
 public:
  Timetable(KCurve curve, CurveSteps steps, const std::vector<double>& u)
      : curve_(std::move(curve)), steps_(std::move(steps)) {
    const std::size_t count = steps_.length.size();
    for (const double square : u) speed_.push_back(std::sqrt(square));
    time_.push_back(0);
    for (std::size_t i = 0; i < count; ++i) {
      time_.push_back(time_.back() + 2 * steps_.length[i] / (speed_[i] + speed_[i + 1]));
    }
    // Slopes dp/ds at the points, of the parabola through each point and its neighbors.
    const auto slope = [&](std::size_t i) {
      return (steps_.parameter[i + 1] - steps_.parameter[i]) / steps_.length[i];
    };
    slope_.push_back(slope(0));
    for (std::size_t i = 1; i < count; ++i) {
      const double before = steps_.length[i - 1];
      const double after = steps_.length[i];
      slope_.push_back((slope(i - 1) * after + slope(i) * before) / (before + after));
    }
    slope_.push_back(slope(count - 1));
  }

  double duration() const { return time_.back(); }

  KPoint position(double t) const {
    if (t <= 0) return curve_(0);
    if (t >= time_.back()) return curve_(1);
    const auto i = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin()) - 1;
    const double since = t - time_[i];
    const double acceleration = (speed_[i + 1] - speed_[i]) / (time_[i + 1] - time_[i]);
    const double length = steps_.length[i];
    const double x = std::clamp((speed_[i] + acceleration * since / 2) * since / length, 0.0, 1.0);
    // Cubic Hermite interpolation, so that the speed has no jumps at the points.
    const double p0 = steps_.parameter[i];
    const double p1 = steps_.parameter[i + 1];
    const double p =
        p0 + (p1 - p0) * x * x * (3 - 2 * x) + length * x * (1 - x) * (slope_[i] * (1 - x) - slope_[i + 1] * x);
    return curve_(std::clamp(p, 0.0, 1.0));
  }

 private:
  KCurve curve_;
  CurveSteps steps_;
  std::vector<double> speed_;
  std::vector<double> time_;
  std::vector<double> slope_;
};

}  // namespace

Motion minimum_time_motion(const Context& ctx, const KCurve& curve, const GradientLimits& limits, CurveEnd end) {
  check_gradient_limits("minimum-time design", limits);
  CurveSteps steps = detail::cut_curve(ctx, curve);
  const std::vector<double> u = squared_speeds(steps, limits, end);
  const KPoint end_velocity = detail::plus({0, 0, 0}, steps.end_direction, std::sqrt(u.back()));
  const auto timetable = std::make_shared<const Timetable>(curve, std::move(steps), u);
  return {[timetable](double t) { return timetable->position(t); }, timetable->duration(), end_velocity};
}

}  // namespace whorl

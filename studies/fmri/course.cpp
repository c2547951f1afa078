#include "studies/fmri/course.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace whorl::studies::fmri {

namespace {

constexpr Index block = 10;  // volumes, and seconds

bool is_task(Index second) { return second / block % 2 == 1; }

// t^5 e^-t / 5! - t^15 e^-t / (6 * 15!), whose integral is 5/6.
double impulse_response(double t) {
  return std::exp(5 * std::log(t) - t - std::lgamma(6)) - std::exp(15 * std::log(t) - t - std::lgamma(16)) / 6;
}

double response_at(Index second) {
  constexpr int parts = 10;  // of a second
  constexpr double longest = 32;
  constexpr double integral = 5.0 / 6;
  double sum = 0;
  for (int i = 0; i < static_cast<int>(longest) * parts; ++i) {
    const double before = (i + 0.5) / parts;
    const double then = static_cast<double>(second) - before;
    if (then >= 0 && is_task(static_cast<Index>(then))) sum += impulse_response(before) / parts;
  }
  return sum / integral;
}

}  // namespace

Course course_of(const Options& options) {
  Course course;
  const auto last = static_cast<double>(std::max<Index>(1, options.volumes - 1));
  for (Index i = 0; i < options.volumes; ++i) {
    const auto second = static_cast<double>(i);
    const double part = second / last;
    const double task = is_task(i) ? options.motion : 0;
    const double slow = options.motion * part;
    course.response.push_back(response_at(i));
    course.poses.push_back(
        {{0.3 * slow, 0.6 * slow, 0.4 * slow + 0.1 * task}, {0.5 * slow + 0.2 * task, 0, 0.2 * slow}});
    constexpr double breath = 4.7;  // seconds
    course.field_hz.push_back(options.drift * (part + 0.1 * std::sin(2 * std::numbers::pi * second / breath)));
  }
  return course;
}

Course still(Course course) {
  std::ranges::fill(course.poses, ObjectPose{});
  std::ranges::fill(course.field_hz, 0);
  return course;
}

}  // namespace whorl::studies::fmri

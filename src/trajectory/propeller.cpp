#include "whorl/trajectory/propeller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

using std::numbers::pi;
constexpr const char* propeller_operation = "propeller trajectory";

// Distance of the outermost lines of a blade from its axis.
double half_width(const PropellerOptions& options) {
  check_options(options);
  detail::check_readouts(propeller_operation, "lines", options.blades, std::max<Index>(2, options.lines));
  const double half = static_cast<double>(options.lines - 1) / (2 * options.matrix);
  if (!(half < 0.5)) {
    throw ValueError(fmt::format("{}: {} lines in steps of 1/{} are wider than k-space; expected fewer lines",
                                 propeller_operation, options.lines, options.matrix));
  }
  return half;
}

}  // namespace

Trajectory propeller_trajectory(const Context& ctx, const PropellerOptions& options) {
  const double half = half_width(options);
  const double extent = std::sqrt(0.25 - half * half);
  const Index lines = options.lines;
  const Index n = options.readout;
  Trajectory trajectory = detail::make_readouts(ctx, propeller_operation, "lines", options.blades * lines, n, 2);
  const auto k = trajectory.points.view<2>();
  Index first = 0;
  for (const double angle : spoke_angles(options.blades, options.order, options.golden_index, pi)) {
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    for (Index line = 0; line < lines; ++line) {
      const double across = static_cast<double>(line) / options.matrix - half;
      for (Index i = 0; i < n; ++i) {
        detail::ask_at(ctx, first + i);
        const double along = 2 * extent * detail::grid_position(i, n);
        k(first + i, 0) = along * cosine - across * sine;
        k(first + i, 1) = along * sine + across * cosine;
      }
      first += n;
    }
  }
  return trajectory;
}

double propeller_covered_radius(const PropellerOptions& options) {
  half_width(options);
  const double gap = largest_angle_gap(spoke_angles(options.blades, options.order, options.golden_index, pi), pi);
  const double width = static_cast<double>(options.lines) / options.matrix;
  return std::min(0.5, width / 2 / std::sin(std::min(gap, pi) / 2));
}

}  // namespace whorl

#include "whorl/io/trajectory_unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/parallel.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

struct Name {
  TrajectoryUnit unit;
  std::string_view text;
};

constexpr std::array<Name, 10> names{{{TrajectoryUnit::automatic, "auto"},
                                      {TrajectoryUnit::cycles_per_fov, "cycles/fov"},
                                      {TrajectoryUnit::cycles_per_pixel, "cycles/pixel"},
                                      {TrajectoryUnit::radians_per_pixel, "rad/pixel"},
                                      {TrajectoryUnit::nyquist, "nyquist"},
                                      {TrajectoryUnit::inverse_meter, "1/m"},
                                      {TrajectoryUnit::inverse_centimeter, "1/cm"},
                                      {TrajectoryUnit::inverse_millimeter, "1/mm"},
                                      {TrajectoryUnit::radians_per_meter, "rad/m"},
                                      {TrajectoryUnit::radians_per_millimeter, "rad/mm"}}};

constexpr double least_fraction = 0.25;
constexpr double least_fraction_metric = 0.9;
constexpr double most_fraction_metric = 1.02;
constexpr double sure_fraction = 0.85;                  // of another unit: then no metric one is meant
constexpr double least_nyquist = std::numbers::pi / 4;  // rad/pixel is plausible from here on
constexpr double sure_nyquist = 0.95;

/// Cycles per mm of a metric unit; 0 for others.
double cycles_per_mm(TrajectoryUnit unit) {
  constexpr double turn = 2 * std::numbers::pi;
  switch (unit) {
    case TrajectoryUnit::inverse_meter:
      return 1e-3;
    case TrajectoryUnit::inverse_centimeter:
      return 0.1;
    case TrajectoryUnit::inverse_millimeter:
      return 1;
    case TrajectoryUnit::radians_per_meter:
      return 1e-3 / turn;
    case TrajectoryUnit::radians_per_millimeter:
      return 1 / turn;
    default:
      return 0;
  }
}

bool has_field_of_view(const EncodedGrid& grid, const std::array<double, 3>& largest) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (largest[axis] > 0 && !(grid.field_of_view_mm[axis] > 0)) return false;
  }
  return true;
}

double fraction_of_nyquist(TrajectoryUnit unit, const EncodedGrid& grid, const std::array<double, 3>& largest) {
  const std::array<double, 3> factors = cycles_per_pixel_factors(unit, grid);
  double fraction = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    fraction = std::max(fraction, largest[axis] * factors[axis] / k_limit);
  }
  return fraction;
}

}  // namespace

bool is_metric(TrajectoryUnit unit) { return cycles_per_mm(unit) > 0; }

std::string_view to_string(TrajectoryUnit unit) {
  return std::find_if(names.begin(), names.end(), [&](const Name& name) { return name.unit == unit; })->text;
}

std::vector<std::string> trajectory_unit_names() {
  std::vector<std::string> known;
  known.reserve(names.size());
  for (const Name& name : names) known.emplace_back(name.text);
  return known;
}

TrajectoryUnit trajectory_unit_from_string(std::string_view name) {
  for (const Name& candidate : names) {
    if (candidate.text == name) return candidate.unit;
  }
  throw ValueError(fmt::format("trajectory unit: \"{}\" is not known; use one of {}", name,
                               fmt::join(trajectory_unit_names(), ", ")));
}

std::array<double, 3> cycles_per_pixel_factors(TrajectoryUnit unit, const EncodedGrid& grid) {
  std::array<double, 3> factors{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto pixels = static_cast<double>(grid.matrix[axis]);
    switch (unit) {
      case TrajectoryUnit::cycles_per_fov:
        factors[axis] = 1 / pixels;
        break;
      case TrajectoryUnit::cycles_per_pixel:
        factors[axis] = 1;
        break;
      case TrajectoryUnit::radians_per_pixel:
        factors[axis] = 1 / (2 * std::numbers::pi);
        break;
      case TrajectoryUnit::nyquist:
        factors[axis] = 0.5;
        break;
      case TrajectoryUnit::inverse_meter:
      case TrajectoryUnit::inverse_centimeter:
      case TrajectoryUnit::inverse_millimeter:
      case TrajectoryUnit::radians_per_meter:
      case TrajectoryUnit::radians_per_millimeter:
        // An axis of one pixel holds no positions, and files often give it no size.
        if (grid.matrix[axis] > 1 && !(grid.field_of_view_mm[axis] > 0)) {
          throw ValueError(
              fmt::format("trajectory unit {}: the field of view along {} is not known, so pixels have no size; give "
                          "the field of view or another trajectory-unit",
                          to_string(unit), "xyz"[axis]));
        }
        factors[axis] = grid.field_of_view_mm[axis] * cycles_per_mm(unit) / pixels;
        break;
      case TrajectoryUnit::automatic:
        throw ValueError("trajectory unit auto: it has no factor before detect_trajectory_unit has found the unit");
    }
  }
  return factors;
}

TrajectoryUnit detect_trajectory_unit(const std::array<double, 3>& largest, const EncodedGrid& grid,
                                      std::string_view source) {
  std::vector<TrajectoryUnit> plausible;
  std::vector<std::string> readings;
  bool sure = false;
  for (const auto& [unit, text] : names) {
    if (unit == TrajectoryUnit::automatic) continue;
    const bool metric = is_metric(unit);
    if (metric && !has_field_of_view(grid, largest)) {
      readings.push_back(fmt::format("{}: no field of view", text));
      continue;
    }
    const double fraction = fraction_of_nyquist(unit, grid, largest);
    readings.push_back(fmt::format("{}: {:.4g} of Nyquist", text, fraction));
    const bool ends_at_one = unit == TrajectoryUnit::nyquist;
    const double least = metric ? least_fraction_metric : ends_at_one ? least_nyquist : least_fraction;
    const double most = metric ? most_fraction_metric : 1 + k_rounding;
    if (!(fraction >= least && fraction <= most) || (metric && sure)) continue;
    sure = sure || (!metric && fraction >= sure_fraction);
    if (ends_at_one && fraction >= sure_nyquist) std::erase(plausible, TrajectoryUnit::radians_per_pixel);
    plausible.push_back(unit);
  }
  if (plausible.size() == 1) return plausible.front();
  throw ValueError(
      fmt::format("{}: the trajectory's unit is {}: largest |k| = ({:.6g}) on a matrix of {} reads as {}; check the "
                  "matrix, or state trajectory-unit",
                  source, plausible.empty() ? "not recognized" : "ambiguous", fmt::join(largest, ", "),
                  fmt::join(grid.matrix, " x "), fmt::join(readings, "; ")));
}

Index scale_trajectory(const Context& ctx, ArrayRef<double> points, const std::array<double, 3>& factors,
                       std::string_view source) {
  const auto k = points.view<2>();
  std::atomic<Index> moved = 0;
  const auto scale = [&](Index first, Index last) {
    Index beyond = 0;
    for (Index sample = first; sample < last; ++sample) {
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        double& value = k(sample, axis);
        const double scaled = value * factors[static_cast<std::size_t>(axis)];
        if (!std::isfinite(scaled)) {
          throw ValueError(fmt::format("{}: k{} of sample {} is {}; every position must be finite", source, "xyz"[axis],
                                       sample, value));
        }
        if (std::abs(scaled) > k_limit * (1 + k_rounding)) {
          throw ValueError(
              fmt::format("{}: k{} of sample {} is {:.6g}, which is {:.6g} cycles per pixel, expected |k| <= 0.5; "
                          "check the matrix size and trajectory-unit",
                          source, "xyz"[axis], sample, value, scaled));
        }
        if (std::abs(scaled) > k_limit) ++beyond;
        value = std::clamp(scaled, -k_limit, k_limit);
      }
    }
    moved += beyond;
  };
  constexpr Index at_once = 1 << 14;
  const Index samples = k.extent(0);
  detail::parallel_for(ctx, "positions", 0, divide_up(samples, at_once),
                       [&](Index part) { scale(part * at_once, std::min(samples, (part + 1) * at_once)); });
  return moved;
}

}  // namespace whorl

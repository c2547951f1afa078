#include "whorl/trajectory/kooshball.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double whole_turn = 2 * std::numbers::pi;

double fraction(double value) { return value - std::floor(value); }

std::array<double, 3> golden_means_direction(Index spoke, bool center_out) {
  // The golden means phi_1 = 1/g^2 and phi_2 = 1/g, where g^3 = g^2 + 1: the eigenvector of Chan's Fibonacci matrix.
  constexpr double phi_2 = 0.68232780382801932737;
  constexpr double phi_1 = phi_2 * phi_2;
  const double azimuth = whole_turn * fraction(static_cast<double>(spoke) * phi_2);
  const double height = fraction(static_cast<double>(spoke) * phi_1);
  const double z = center_out ? 2 * height - 1 : height;
  const double in_plane = std::sqrt(1 - z * z);
  return {in_plane * std::cos(azimuth), in_plane * std::sin(azimuth), z};
}

std::array<double, 3> phyllotaxis_direction(Index spoke, Index spokes, const KooshballOptions& options) {
  const Index interleaf_length = spokes / options.interleaves;
  const Index in_interleaf = spoke % interleaf_length;
  const Index interleaf = spoke / interleaf_length;
  const auto seed = static_cast<double>(interleaf + in_interleaf * options.interleaves);
  // The golden angle of the circle, 137.51 degrees.
  const double azimuth = whole_turn * fraction(seed / (std::numbers::phi * std::numbers::phi));
  const double polar = std::numbers::pi / 2 * std::sqrt(seed / static_cast<double>(spokes));
  const double side = options.center_out && in_interleaf % 2 == 1 ? -1 : 1;
  return {side * std::sin(polar) * std::cos(azimuth), side * std::sin(polar) * std::sin(azimuth),
          side * std::cos(polar)};
}

}  // namespace

std::vector<std::array<double, 3>> kooshball_directions(Index spokes, const KooshballOptions& options) {
  detail::check_count("kooshball trajectory", "spokes", spokes);
  const bool golden = options.order == KooshballOrder::golden_means;
  if (options.interleaves < 1 || spokes % options.interleaves != 0 || (golden && options.interleaves != 1)) {
    throw ValueError(
        golden ? fmt::format("kooshball trajectory: golden means have 1 interleaf, got {}", options.interleaves)
               : fmt::format("kooshball trajectory: {} spokes are not a whole number of {} interleaves", spokes,
                             options.interleaves));
  }
  std::vector<std::array<double, 3>> directions;
  directions.reserve(static_cast<std::size_t>(spokes));
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    directions.push_back(golden ? golden_means_direction(spoke, options.center_out)
                                : phyllotaxis_direction(spoke, spokes, options));
  }
  return directions;
}

Trajectory kooshball_trajectory(const Context& ctx, Index spokes, Index readout, const KooshballOptions& options) {
  Trajectory trajectory = detail::make_readouts(ctx, "kooshball trajectory", "spokes", spokes, readout, 3);
  const auto start = options.center_out ? detail::SpokeStart::center : detail::SpokeStart::edge;
  Index spoke = 0;
  for (const auto& direction : kooshball_directions(spokes, options)) {
    detail::write_spoke(ctx, trajectory, spoke++, direction, start);
  }
  return trajectory;
}

}  // namespace whorl

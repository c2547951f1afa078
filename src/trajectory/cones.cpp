#include "whorl/trajectory/cones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/minimum_time.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

using std::numbers::pi;

void check(const ConesOptions& options) {
  check_options(options);
  // The check limits the number of arms, whatever the samples of each.
  detail::check_readouts("cones trajectory", "interleaves", options.cones, std::max<Index>(2, options.interleaves));
}

KCurve cone_curve(const ConesOptions& options, Index cone) {
  const double polar = (static_cast<double>(cone) + 0.5) * pi / static_cast<double>(options.cones);
  const double sine = std::sin(polar);
  const double cosine = std::cos(polar);
  const double lines = pi * options.matrix * sine / static_cast<double>(options.interleaves);
  const double turns = std::sqrt(std::max(0.0, lines * lines - 1)) / (2 * pi * sine);
  return [=](double t) -> KPoint {
    const double angle = 2 * pi * turns * t;
    return {t / 2 * sine * std::cos(angle), t / 2 * sine * std::sin(angle), t / 2 * cosine};
  };
}

double angle_of(Index interleaf, const ConesOptions& options) {
  return 2 * pi * static_cast<double>(interleaf) / static_cast<double>(options.interleaves);
}

}  // namespace

Trajectory cones_trajectory(const Context& ctx, const ConesOptions& options, Index samples) {
  check(options);
  const Index arms = options.cones * options.interleaves;
  Trajectory trajectory = detail::make_readouts(ctx, "cones trajectory", "interleaves", arms, samples, 3);
  const auto k = trajectory.points.view<2>();
  for (Index arm = 0; arm < arms; ++arm) {
    const KCurve curve = cone_curve(options, arm / options.interleaves);
    const double start = angle_of(arm % options.interleaves, options);
    for (Index i = 0; i < samples; ++i) {
      detail::ask_at(ctx, arm * samples + i);
      const KPoint point = detail::turned(curve(static_cast<double>(i) / static_cast<double>(samples - 1)), start);
      for (Index axis = 0; axis < 3; ++axis) k(arm * samples + i, axis) = point[static_cast<std::size_t>(axis)];
    }
  }
  return trajectory;
}

DesignedTrajectory designed_cones(const Context& ctx, const ConesOptions& options, const DesignOptions& design) {
  check(options);
  // Each cone takes 4000 steps or more in memory until the slowest is known.
  constexpr Index most_cones = 10000;
  if (options.cones > most_cones) {
    throw ValueError(
        fmt::format("cones trajectory: expected at most {} cones to design, got {}", most_cones, options.cones));
  }
  std::vector<Motion> motions;
  std::vector<Shot> shots;
  ProgressStage stage(ctx, "designing cones", options.cones);
  for (Index cone = 0; cone < options.cones; ++cone) {
    motions.push_back(minimum_time_motion(ctx, cone_curve(options, cone), design.limits, CurveEnd::moving));
    for (Index interleaf = 0; interleaf < options.interleaves; ++interleaf) {
      shots.push_back({static_cast<std::size_t>(cone), angle_of(interleaf, options)});
    }
    stage.advance();
  }
  return sample_motions(ctx, motions, shots, design, 3);
}

}  // namespace whorl

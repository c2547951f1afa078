#include "whorl/trajectory/spiral.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "trajectory/spokes.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Trajectory spiral_trajectory(const Context& ctx, Index arms, Index samples, double turns) {
  detail::check_readouts("spiral trajectory", "arms", arms, samples);
  if (!(turns > 0) || !std::isfinite(turns)) {
    throw ValueError(fmt::format("spiral trajectory: expected a positive number of turns, got {}", turns));
  }
  Trajectory trajectory{Array<double>(ctx, {arms * samples, 2}), samples};
  const auto k = trajectory.points.view<2>();
  for (Index arm = 0; arm < arms; ++arm) {
    for (Index i = 0; i < samples; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(samples - 1);
      const double angle = 2 * std::numbers::pi * (turns * t + static_cast<double>(arm) / static_cast<double>(arms));
      k(arm * samples + i, 0) = t / 2 * std::cos(angle);
      k(arm * samples + i, 1) = t / 2 * std::sin(angle);
    }
  }
  return trajectory;
}

}  // namespace whorl

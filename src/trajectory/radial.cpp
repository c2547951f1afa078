#include "whorl/trajectory/radial.hpp"

#include <cmath>
#include <numbers>

#include "trajectory/readouts.hpp"

namespace whorl {

Trajectory radial_trajectory(const Context& ctx, Index spokes, Index readout, SpokeOrder order,
                             const SpokeOptions& options) {
  Trajectory trajectory = detail::make_readouts(ctx, "radial trajectory", "spokes", spokes, readout, 2);
  const double period = options.center_out ? 2 * std::numbers::pi : std::numbers::pi;
  const auto start = options.center_out ? detail::SpokeStart::center : detail::SpokeStart::edge;
  Index spoke = 0;
  for (const double angle : spoke_angles(spokes, order, options.golden_index, period)) {
    detail::write_spoke(ctx, trajectory, spoke++, {std::cos(angle), std::sin(angle), 0}, start);
  }
  return trajectory;
}

}  // namespace whorl

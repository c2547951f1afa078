#include "whorl/trajectory/radial.hpp"

#include <cmath>
#include <numbers>

#include "trajectory/spokes.hpp"

namespace whorl {

Trajectory radial_trajectory(const Context& ctx, Index spokes, Index readout, SpokeOrder order) {
  detail::check_readouts("radial trajectory", "spokes", spokes, readout);
  const double step = order == SpokeOrder::uniform ? std::numbers::pi / static_cast<double>(spokes)
                                                   : std::numbers::pi / std::numbers::phi;
  Trajectory trajectory{Array<double>(ctx, {spokes * readout, 2}), readout};
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double angle = step * static_cast<double>(spoke);
    detail::write_spoke(trajectory, spoke, {std::cos(angle), std::sin(angle), 0});
  }
  return trajectory;
}

}  // namespace whorl

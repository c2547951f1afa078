#include "whorl/trajectory/kooshball.hpp"

#include <cmath>
#include <numbers>

#include "trajectory/spokes.hpp"

namespace whorl {

Trajectory kooshball_trajectory(const Context& ctx, Index spokes, Index readout) {
  detail::check_readouts("kooshball trajectory", "spokes", spokes, readout);
  // The golden means phi_1 = 1/g^2 and phi_2 = 1/g, where g^3 = g^2 + 1: the eigenvector of Chan's Fibonacci matrix.
  constexpr double phi_2 = 0.68232780382801932737;
  constexpr double phi_1 = phi_2 * phi_2;
  Trajectory trajectory{Array<double>(ctx, {spokes * readout, 3}), readout};
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double turns = static_cast<double>(spoke) * phi_2;
    const double height = static_cast<double>(spoke) * phi_1;
    const double azimuth = 2 * std::numbers::pi * (turns - std::floor(turns));
    const double z = height - std::floor(height);
    const double in_plane = std::sqrt(1 - z * z);
    detail::write_spoke(trajectory, spoke, {in_plane * std::cos(azimuth), in_plane * std::sin(azimuth), z});
  }
  return trajectory;
}

}  // namespace whorl

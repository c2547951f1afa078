// Private: readouts in planes of constant kz.
#pragma once

#include <optional>
#include <vector>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl::detail {

/// A plane of constant kz.
struct Plane {
  std::vector<std::size_t> readouts;
  double thickness =
      1;  ///< half the distance between the planes next to it, at the ends that to the one; 1 for one alone
};

/// The readouts of a 3D trajectory by plane, from low to high kz.
struct Planes {
  std::vector<Plane> planes;
  Index leaving = -1;   ///< the first sample that leaves its readout's plane by more than the tolerance; -1: none does
  double distance = 0;  ///< by how much
};

/// `k` are positions [sample, 3] in readouts of the given length. The tolerances are relative to `largest`, the largest
/// radius in the plane: 1 % within a readout, 1e-6 between readouts of the same plane.
Planes find_planes(const View<const double, 2>& k, Index length, double largest);

/// The planes of a stack of stars; none for other trajectories.
std::vector<Plane> planes_of_stars(const Trajectory& trajectory);

/// Readouts of a trajectory, as seen along z.
Trajectory seen_along_z(const Context& ctx, const Trajectory& trajectory, const std::vector<std::size_t>& readouts);

}  // namespace whorl::detail

// PROPELLER: blades of parallel lines, turned about the center of k-space.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/spoke_order.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

struct PropellerOptions {
  Index blades = 1;
  Index lines = 1;    ///< of a blade, L
  Index readout = 2;  ///< samples of a line, n
  double matrix = 1;  ///< N: the lines of a blade are 1 / N apart
  SpokeOrder order = SpokeOrder::uniform;
  Index golden_index = 1;  ///< of the (tiny) golden angle between blades
};

/// Blades of L parallel lines, centered and 1 / N apart, turned by the angles of spoke_angles with the period pi:
///
///   k[((b * L) + l) * n + i] = R(theta_b) (2 e (i - floor(n / 2)) / n, (l - (L - 1) / 2) / N),
///   e = sqrt(1/4 - ((L - 1) / (2 N))^2),
///
/// The corners of a blade lie on the circle of radius 0.5.
///
/// Shapes  points [blades * lines * readout, 2]; a readout is a line
/// Units   cycles per pixel
/// Throws  ValueError (no blade or line, a line of fewer than 2 samples, N not positive, a blade wider than k-space; as
///         spoke_angles)
/// Source  Pipe, "Motion correction with PROPELLER MRI: application to head motion and free-breathing cardiac imaging",
///         Magn Reson Med 42:963 (1999)
Trajectory propeller_trajectory(const Context& ctx, const PropellerOptions& options);

/// Radius up to which the blades, each L / N wide, leave no gap: L / (2 N) / sin(gap / 2), at most 0.5. `gap` is the
/// largest angle between neighboring blades.
double propeller_covered_radius(const PropellerOptions& options);

}  // namespace whorl

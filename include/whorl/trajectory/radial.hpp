// Radial trajectories in two dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/spoke_order.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

struct SpokeOptions {
  Index golden_index = 1;   ///< n of the (tiny) golden angle; unused in uniform order
  bool center_out = false;  ///< spokes start at the center and cover the full circle; else they run through it
};

/// Spokes through the center of k-space, or from it outwards:
///
///   full        k[s * readout + i] = (i - floor(readout / 2)) / readout * (cos theta_s, sin theta_s)
///   center out  k[s * readout + i] = i / (2 readout) * (cos theta_s, sin theta_s)
///
/// with the angles of spoke_angles, whose period is pi for full spokes and 2 pi for center-out ones. The radius of a
/// full spoke runs from -0.5 (even readout) in steps of 1/readout through 0 at i = floor(readout/2); a readout of twice
/// the matrix size is an oversampling of 2. A center-out readout of half the matrix size has no oversampling.
///
/// Shapes  points [spokes * readout, 2]
/// Units   cycles per pixel
/// Throws  ValueError (a readout of fewer than 2 samples; as spoke_angles)
/// Source  of the orders: see spoke_angles
Trajectory radial_trajectory(const Context& ctx, Index spokes, Index readout, SpokeOrder order,
                             const SpokeOptions& options = {});

}  // namespace whorl

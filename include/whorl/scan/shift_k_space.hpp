// Moving the center of k-space.
#pragma once

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Takes the place of k = 0 to where it is found: positions k become k - shift. The image loses the phase
/// exp(2 pi i shift.r) that grows across it, and keeps its magnitude; coil maps that are estimated from the center of
/// k-space find their signal there. Frames that share a trajectory still do. Positions beyond |k| = 1/2 become 1/2. A note
/// says the shift.
///
/// Units   cycles per field of view, along x, y and z of the image
/// Throws  ValueError (a number that is not finite, or along an axis that the image does not have)
void shift_k_space(const Context& ctx, Scan& scan, const std::array<double, 3>& shift);

}  // namespace whorl

// Moving the center of k-space.
#pragma once

#include <array>
#include <vector>

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

/// shift_k_space for each readout by itself (interleaf, spoke), in the order of acquisition: estimate_readout_shifts finds them.
///
/// Units   cycles per field of view of an image of `matrix` pixels, along x, y and z
/// Throws  ValueError (readouts of unknown or unequal length, or not as many as shifts; a number that is not finite, or along
///         an axis that the trajectory does not have)
Trajectory shifted_readouts(const Context& ctx, const Trajectory& trajectory, const std::array<Index, 3>& matrix,
                            const std::vector<std::array<double, 3>>& shifts);

/// Shifts all frames: by the shifts of the readouts of a frame, which are then those of all, or of the readouts of all
/// trajectories, one after the other, in the order of the frames. A note says how large they are. Throws likewise.
void shift_readouts(const Context& ctx, Scan& scan, const std::vector<std::array<double, 3>>& shifts);

}  // namespace whorl

// Undoing the rigid motion of the object between readouts.
#pragma once

#include <span>

#include "whorl/correct/object_pose.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Makes the scan that of an object at rest: data d at k become exp(2 pi i k.shift) d at R^T k. Each pose is that of
/// equally many consecutive readouts, in the order of the frames: one pose for each readout, or for each 2, 3, ...
///
/// Samples that leave |k| <= 1/2 are dropped, and density weights of frames that moved; notes say so. Coil maps stay as
/// they are: with the object they would turn, which is not part of this model. So rotations have to be small on the
/// scale of the coils.
///
/// Source  Batchelor et al., Magn Reson Med 54:1273 (2005), for rigid motion
/// Throws  ValueError (a number of poses that does not divide the number of readouts, readouts of unknown length, an
///         unknown field of view), Cancelled
void undo_motion(const Context& ctx, Scan& scan, std::span<const ObjectPose> poses);

}  // namespace whorl

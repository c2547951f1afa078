// Private: where the object lies in a further scan of a joint reconstruction.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// The pose of the object in a scan against the first one, by images of the first frame of each (align_reference): contrast and
/// coils may differ. A note of the scan says it, and the pose is undone (undo_motion).
/// Throws  as reconstruct, align_reference and undo_motion
void undo_joint_pose(const Context& ctx, const Scan& first, Scan& scan);

}  // namespace whorl::job

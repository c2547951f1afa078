// Private: where the object lies in a further scan of a joint reconstruction.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// A quick image of the first frame of a scan, which shows edges. Throws as reconstruct.
ReferenceImage first_image(const Context& ctx, const Scan& scan);

/// The pose of the object in a scan against `first`, the first_image of another: contrast and coils may differ (align_reference).
/// A note of the scan says it, and the pose is undone (undo_motion).
/// Throws  as reconstruct, align_reference and undo_motion
void undo_joint_pose(const Context& ctx, const ReferenceImage& first, Scan& scan);

}  // namespace whorl::job

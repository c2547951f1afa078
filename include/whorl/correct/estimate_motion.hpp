// Rigid motion of the object between readouts, from the data.
#pragma once

#include <vector>

#include "whorl/correct/object_motion.hpp"

namespace WHORL_PUBLIC whorl {

struct MotionEstimate {
  std::vector<ObjectPose> poses;      ///< one for each group of readouts; their mean is 0
  double standard_error_mm = 0;       ///< the largest of the shifts', by noise
  double standard_error_degrees = 0;  ///< the largest of the angles', by noise
  double resolution_mm = 0;           ///< of the images that were compared
};

/// The poses of the object during each group of `readouts` consecutive readouts, in the order of the frames, for
/// undo_motion. Low-resolution images of all coils from all samples near the center of k-space, with the motion undone,
/// predict the samples of each group. Gauss-Newton steps on the pose of each group, and new images after each step, end
/// where no pose changes. So a group needs enough samples near the center to tell the pose, and not to make an image.
///
/// Coils do not turn with the object, but are taken to: sensitivities that change much over the motion bias the poses.
/// A pose that all groups share is not determined.
///
/// Standard errors are those of poses and images that are fitted together, by noise as large as the samples leave of the
/// fit: replicas of noise go through the linear fit. Detail of the object beyond the images' resolution and coils that do
/// not turn bias the poses besides. In 3D they take about as long as the estimate.
///
/// Accuracy  of the standard errors: 10 % (test/unit/recon/test_estimate_motion.cpp)
/// Throws  ValueError (frames of several slices, `readouts` that do not divide the number of readouts, readouts of unknown
///         length, an unknown field of view, data that are 0, groups with too few samples near the center, poses that
///         do not settle), Cancelled
/// Source  Cheng et al., Magn Reson Med 68:1785 (2012), and Odille et al., Magn Reson Med 60:146 (2008), for the joint
///         estimate of motion and image; here the steps are taken in k-space, where nothing is interpolated
MotionEstimate estimate_motion(const Context& ctx, const Scan& scan, Index readouts);

}  // namespace whorl

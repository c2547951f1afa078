// Rigid motion between images of one contrast, found and undone within milliseconds.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/correct/object_pose.hpp"

namespace whorl::studies::fmri {

/// Finds the pose of a volume against the first one and brings it back, by cubic interpolation (Keys). Gauss-Newton steps on the
/// squared difference of the images, whose derivatives are those of the first image throughout (inverse compositional), so that a step
/// takes an interpolation and six sums. Both images are smoothed for that by a Gaussian of one voxel: interpolated edges that are as sharp as
/// voxels would pull the pose toward none. align_reference finds the pose for any contrast, in many more steps.
///
/// Source  Baker and Matthews, Int J Comput Vis 56:221 (2004); Keys, IEEE Trans Acoust 29:1153 (1981)
class Realign {
 public:
  /// Volumes are [z, y, x], magnitudes, with voxels of equal edges.
  Realign(const Context& ctx, ArrayRef<const float> first);

  /// Where the head of the volume lies, in the sense of ObjectPose.
  ObjectPose estimate(const Context& ctx, ArrayRef<const float> volume) const;
  /// The volume of the head at rest.
  Array<float> undo(const Context& ctx, const ObjectPose& pose, ArrayRef<const float> volume) const;

 private:
  using Vector6 = std::array<double, 6>;  // shifts in voxels, angles in radians

  Array<float> first_;                        // smoothed
  std::vector<std::array<float, 6>> slopes_;  // of each voxel by the six numbers of a pose
  std::array<Vector6, 6> inverse_{};          // of the sum of products of slopes
};

}  // namespace whorl::studies::fmri

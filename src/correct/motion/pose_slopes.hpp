// How the samples near the center of k-space change with the poses of the object.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "correct/motion/motion_samples.hpp"
#include "correct/motion/object_pose.hpp"

namespace whorl::detail {

/// What is to be found of a pose, in mm or degrees: the shifts, then the angles.
double& unknown_of(ObjectPose& pose, std::size_t number, std::size_t dim);

/// The model of the samples at given poses and images, to first order in the poses: sample + sum_u change_u slope_u for the
/// unknowns u of the sample's group.
class PoseSlopes {
 public:
  /// `spectra`: of the images, and of the images times their coordinate along each axis, at the places to which the poses
  /// turn the samples, [1 + axis, coil, sample].
  PoseSlopes(const MotionSamples& center, const std::vector<ObjectPose>& poses,
             ArrayRef<const std::complex<float>> spectra);

  /// The samples at these poses, [coil, sample].
  ArrayRef<const std::complex<float>> samples() const { return samples_.ref(); }

  /// The changes of the poses that explain samples best by least squares: [unknown, group].
  Eigen::MatrixXd changes(ArrayRef<const std::complex<float>> samples) const;

  /// Subtracts what such changes explain.
  void take_out(ArrayRef<std::complex<float>> samples) const;

  /// The variances of the changes, for white noise with E|n|^2 = 1 and given images: [unknown, group].
  Eigen::MatrixXd variances() const;

 private:
  // Samples [first, last) are those of the group.
  struct Part {
    Index first = 0;
    Index last = 0;
    Eigen::MatrixXd normal;  // Re D^H D
  };

  Index count() const { return samples_.extent(1); }
  const std::complex<float>* slope(Index unknown, Index coil) const {
    return slopes_.data() + (unknown * samples_.extent(0) + coil) * count();
  }

  Array<std::complex<float>> samples_;
  Array<std::complex<float>> slopes_;  // [unknown, coil, sample]
  std::vector<Part> parts_;
};

}  // namespace whorl::detail

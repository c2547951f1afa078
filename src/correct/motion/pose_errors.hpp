// Standard errors of estimated poses.
#pragma once

#include "correct/motion/pose_slopes.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::detail {

struct PoseErrors {
  double mm = 0;       ///< the largest of the shifts'
  double degrees = 0;  ///< the largest of the angles'
};

/// The standard errors of poses that are fitted together with the images, by white noise in the samples, of which the fit
/// left `residual` (its sum of squares). Replicas of noise go through the linear fit of images and poses: how much the
/// poses vary there, and what is left of the noise, gives both the covariance of the poses and the level of the noise. For
/// given images the poses would vary less, since images take up a part of what tells the poses.
///
/// Accuracy  10 %, of poses of one kind over all groups
/// Source    Golub, Pereyra, SIAM J Numer Anal 10:413 (1973): images and poses apart; Robson et al., Magn Reson Med
///           60:895 (2008): replicas of noise
PoseErrors pose_errors(const Context& ctx, const MotionSamples& center, const PoseSlopes& slopes,
                       const Nufft<float>& transform, const std::vector<ObjectPose>& poses, double residual);

}  // namespace whorl::detail

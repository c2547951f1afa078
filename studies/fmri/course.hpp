// What changes from volume to volume: the response to a task, the pose of the head, the field.
#pragma once

#include <vector>

#include "whorl/core/view.hpp"
#include "whorl/correct/object_pose.hpp"

namespace whorl::studies::fmri {

struct Options {
  Index size = 0;        ///< voxels along an axis; 0: 64 on a GPU, 32 on a CPU
  Index volumes = 80;    ///< one a second
  Index coils = 4;       ///< an even number
  Index iterations = 8;  ///< of conjugate gradient for each volume
  double amplitude = 2;  ///< of the activation, percent of white matter
  double noise = 0.02;   ///< standard deviation sqrt(E|n|^2) of the noise of a sample; white matter is 1
  double motion = 3;     ///< mm, and degrees
  double drift = 8;      ///< of the field until the end, Hz
  double seconds = 2;    ///< that the stream is measured for, at least
};

struct Course {
  std::vector<double> response;  ///< of active tissue, about 0 at rest, up to 1
  std::vector<ObjectPose> poses;
  std::vector<double> field_hz;
};

/// Blocks of ten volumes at rest and ten of a task. The response is the block convolved with the usual double gamma function of time (peaks
/// 5 and 15 s after), whose plateau is 1. The head sinks, and nods with the task; the field rises, and goes up and down a little. The first
/// volume has pose and field 0.
Course course_of(const Options& options);

/// The course of a head that lies still in a field that stays.
Course still(Course course);

}  // namespace whorl::studies::fmri

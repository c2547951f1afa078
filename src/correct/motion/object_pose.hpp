// Private: what the pose of an object does to k-space.
#pragma once

#include <array>
#include <string>

#include "whorl/correct/object_pose.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::detail {

/// Samples at k of an object at a pose are those of the object at rest at `turn` k, times exp(-2 pi i k.shift).
struct KSpaceMove {
  std::array<std::array<double, 3>, 3> turn;  ///< [row][column]: R^T between pixels of these sizes
  std::array<double, 3> shift;                ///< in pixels

  KSpaceMove(const ObjectPose& pose, const std::array<double, 3>& pixel_mm);

  std::array<double, 3> turned(const std::array<double, 3>& k) const {
    std::array<double, 3> to{};
    for (std::size_t i = 0; i < 3; ++i) to[i] = turn[i][0] * k[0] + turn[i][1] * k[1] + turn[i][2] * k[2];
    return to;
  }

  /// k . shift
  double turns(const std::array<double, 3>& k) const { return k[0] * shift[0] + k[1] * shift[1] + k[2] * shift[2]; }
};

/// Moves the samples of a frame, during all of which the object lies at one pose, to those of the object at rest. Returns how
/// many leave |k| <= 1/2 and are dropped; density weights of the frame are dropped too. Throws ValueError as undo_motion.
Index undo_pose(const Scan& scan, ScanFrame& frame, const ObjectPose& pose);

/// "; 3 samples beyond |k| = 1/2 were dropped; density weights ...", the end of a note's sentence; empty: nothing was.
std::string what_was_dropped(Index samples, bool weights);

/// Readouts of all frames. Throws ValueError where the length of one's readouts is unknown.
Index count_of_readouts(const Scan& scan);

/// Readouts of each of so many poses. Throws ValueError, naming the operation, unless all have as many; and as count_of_readouts.
Index readouts_of_pose(const Scan& scan, std::size_t poses, const char* operation);

/// Pixel size of a frame's image in mm, 1 along z in 2D. Throws ValueError where the scan does not say its field of view.
std::array<double, 3> pixel_size(const Scan& scan, const ScanFrame& frame);

}  // namespace whorl::detail

// ImageFrame: the index of a frame in a scan or series, and its geometry.
#pragma once

#include <compare>

#include "whorl/scan/geometry.hpp"

namespace WHORL_PUBLIC whorl {

/// The counters of a frame, as in ISMRMRD.
struct FrameIndex {
  int slice = 0;
  int contrast = 0;
  int phase = 0;
  int repetition = 0;
  int set = 0;

  // clang-tidy 14 takes the comparison with zero that the compiler writes for a null pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const FrameIndex&, const FrameIndex&) = default;
};

struct ImageFrame {
  FrameIndex index;
  Geometry geometry;
};

}  // namespace whorl

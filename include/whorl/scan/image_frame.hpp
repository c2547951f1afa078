// Which image of a scan or of a series a frame is, and where it lies.
#pragma once

#include <compare>

#include "whorl/scan/geometry.hpp"

namespace whorl {

/// Which image of the scan a frame is: ISMRMRD's counters.
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

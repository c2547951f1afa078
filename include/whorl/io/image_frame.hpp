// Which image of a series a frame is, and where it lies.
#pragma once

#include "whorl/io/scan.hpp"

namespace whorl {

struct ImageFrame {
  FrameIndex index;
  Geometry geometry;
};

}  // namespace whorl

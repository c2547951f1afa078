// Kernel family: images turned by right angles.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

struct QuarterTurnJob {
  Index slices = 1;
  int channels = 1;
  Index height = 0;  ///< of the input
  Index width = 0;
  int turns = 1;  ///< counterclockwise; 1 to 3
};

/// Where the pixel at (y, x) of the result comes from, as the number of a pixel within a slice.
constexpr Index quarter_turn_source(const QuarterTurnJob& job, Index y, Index x) {
  switch (job.turns) {
    case 1:
      return x * job.width + job.width - 1 - y;
    case 2:
      return (job.height - 1 - y) * job.width + job.width - 1 - x;
    default:
      return (job.height - 1 - x) * job.width + y;
  }
}

template <class T>
inline FilterKernel<void(const Context&, const QuarterTurnJob&, const T* from, T* to)> quarter_turn{"quarter_turn"};

}  // namespace whorl::kernels

// Kernel family: crops images and pads them.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// Row y and column x of the result are row y + top and column x + left of an image of height x width pixels, of which
/// only the rows from first_row on are in memory.
template <class T>
struct FrameJob {
  Index slices = 1;
  int channels = 1;
  Index height = 0;
  Index width = 0;
  Index first_row = 0;
  Index rows_there = 0;
  Index top = 0;
  Index left = 0;
  Index result_height = 0;
  Index result_width = 0;
  Border border = Border::constant;
  T value{};
};

template <class T>
inline FilterKernel<void(const Context&, const FrameJob<T>&, const T* from, T* to)> frame{"frame"};

}  // namespace whorl::kernels

// Kernel family: images mirrored along axes.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

struct FlippedAxes {
  bool z = false;
  bool y = false;
  bool x = false;
};

template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, FlippedAxes, const T* from, T* to)> flip{"flip"};

}  // namespace whorl::kernels

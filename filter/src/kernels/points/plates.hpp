// Kernel family: gray plates as the channels of an image.
#pragma once

#include <array>

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// Channel c of the result is plate c.
template <class T>
struct PlatesJob {
  Index pixels = 0;
  int channels = 1;  ///< of the plates; the first one is used
  int count = 3;
  std::array<const T*, 3> plates{};
};

template <class T>
inline FilterKernel<void(const Context&, const PlatesJob<T>&, T* to)> plates{"plates"};

}  // namespace whorl::kernels

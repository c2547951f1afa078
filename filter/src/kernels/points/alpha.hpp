// Kernel family: copies alpha, for filters that leave it.
#pragma once

#include "filter/src/kernels/kernel.hpp"

namespace whorl::kernels {

/// Copies the last channel of each pixel. Out is T, or float with the same numbers.
template <class T, class Out>
inline FilterKernel<void(const Context&, Index pixels, int channels, const T* from, Out* to)> copy_alpha{"copy_alpha"};

}  // namespace whorl::kernels

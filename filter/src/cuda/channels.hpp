// Kernels that are compiled for each number of channels.
#pragma once

#include "backend/cuda/launch.hpp"

namespace whorl::backend::cuda {

/// Calls work(std::integral_constant<int, channels>()) for 1 to 4 channels.
template <class Work>
decltype(auto) with_channels(int channels, const Work& work) {
  return with_constant<1, 2, 3, 4>(channels, work);
}

}  // namespace whorl::backend::cuda

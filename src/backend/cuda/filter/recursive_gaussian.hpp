// Gaussians by recursion, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/recursive_gaussian.hpp"

namespace whorl::backend::cuda {

template <class T>
void recursive_gaussian(const Context& ctx, const ImageFormat& format, double sigma, kernels::FilteredAxes axes,
                        const BorderOptions& border, const T* from, T* to);

}  // namespace whorl::backend::cuda

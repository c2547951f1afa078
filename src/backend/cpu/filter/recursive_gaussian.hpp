// Gaussians by recursion, on a CPU.
#pragma once

#include "kernels/filter/recursive_gaussian.hpp"

namespace whorl::backend::cpu {

template <class T>
void recursive_gaussian(const Context& ctx, const ImageFormat& format, double sigma, kernels::FilteredAxes axes,
                        const BorderOptions& border, const T* from, T* to);

}  // namespace whorl::backend::cpu

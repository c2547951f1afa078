// Kernel family: plans for transforms on a grid.
#pragma once

#include <memory>

#include "kernels/registry.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::kernels {

template <class Real>
inline CoreKernel<std::shared_ptr<const FftPlan<Real>>(const Context&, const Shape&)> make_fft_plan{"fft"};

}  // namespace whorl::kernels

// FFT on a GPU: cuFFT.
#pragma once

#include <memory>

#include "whorl/math/fft.hpp"

namespace whorl::backend::cuda {

template <class Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid);

}  // namespace whorl::backend::cuda

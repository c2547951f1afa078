// FFT on the CPU: FFTW for single lines, our own passes over the axes.
#pragma once

#include <memory>

#include "whorl/math/fft.hpp"

namespace whorl::backend::cpu {

template <class Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid);

}  // namespace whorl::backend::cpu

// From the image of an impulse to the spectrum of a convolution, on a GPU.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

template <class Real>
void center_to_corner(const Context& ctx, const std::array<Index, 3>& extent, const std::complex<Real>* centered,
                      std::complex<Real>* corner);
template <class Real>
void real_spectrum(const Context& ctx, Index count, double scale, const std::complex<Real>* values, Real* spectrum);

}  // namespace whorl::backend::cuda

// Padded transforms on a GPU.
#pragma once

#include <memory>

#include "kernels/padded_fft.hpp"

namespace whorl::backend::cuda {

template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_padded_fft(const Context& ctx,
                                                                const kernels::PaddedFftGeometry<Real>& geometry);

template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_convolution(const Context& ctx,
                                                                   const kernels::ConvolutionGeometry& geometry,
                                                                   const Real* spectrum);

}  // namespace whorl::backend::cuda

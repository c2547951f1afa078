// The normal operator of a transform along a trajectory as a convolution.
#pragma once

#include "kernels/padded_fft.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

/// The convolution of a spectrum on any device. Throws ShapeError, naming `operation`, if the spectrum is for another
/// image.
template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context& ctx, const char* operation,
                                                                const Shape& image,
                                                                const NormalSpectrum<Real>& spectrum);

/// Options for the image of the impulse on the doubled grid. The tolerance is a quarter of the given one if the
/// precision allows it, so that the normal operator is as accurate as a pair of transforms. They are the same on every
/// device, so fixed options of the transform fix its normal operator too.
template <class Real>
NufftOptions impulse_options(const Context& ctx, const Shape& grid, Index samples, NufftOptions options);

}  // namespace whorl

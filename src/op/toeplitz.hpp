// The normal operator of a transform along a trajectory as a convolution.
#pragma once

#include "kernels/padded_fft.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

/// The convolution of a spectrum that lies on any device. Throws ShapeError, naming `operation`, unless the spectrum is
/// one for that image.
template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context& ctx, const char* operation,
                                                                const Shape& image,
                                                                const NormalSpectrum<Real>& spectrum);

/// Options for the image of the impulse on the doubled grid: four times finer than asked for where the precision allows
/// it, so that the normal operator is as accurate as a pair of transforms. The same on every device: whoever fixed the
/// options of the transform means its normal operator too.
template <class Real>
NufftOptions impulse_options(const Context& ctx, const Shape& grid, Index samples, NufftOptions options);

/// Memory of a convolution whose spectrum nufft_normal makes.
template <class Real>
NufftMemory toeplitz_memory(const Context& ctx, Index samples, const Shape& image, Index coils,
                            const NufftOptions& options);

}  // namespace whorl

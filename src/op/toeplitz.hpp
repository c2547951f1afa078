// The normal operator of a NUFFT as a convolution.
#pragma once

#include "kernels/padded_fft.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

/// Extents of the periodic grid on which F^H F is a convolution: at least 2n - 1 points along an axis of n pixels.
Shape toeplitz_grid(const Shape& image);

/// F^H F x for the transform F of Nufft: its matrix depends on the difference of two pixels alone, so that it is a
/// convolution with the image of a unit impulse (Wajer and Pruessmann, ISMRM 2001, p. 767; Fessler et al., IEEE TSP 53
/// (2005) 3393). The impulse's image is an adjoint NUFFT onto the doubled field of view, of the options' tolerance or
/// a finer one; its spectrum is real.
template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context& ctx, ArrayRef<const double> points,
                                                                const Shape& image, NufftOptions options);

/// Memory of that convolution.
template <class Real>
NufftMemory toeplitz_memory(const Context& ctx, Index samples, const Shape& image, Index coils,
                            const NufftOptions& options);

}  // namespace whorl

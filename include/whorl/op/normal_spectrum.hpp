// F^H F of a trajectory as the spectrum of a convolution, which serves all scans with this trajectory.
#pragma once

#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

/// Extents of the periodic grid on which F^H F is a convolution: at least 2n - 1 points along an axis of n pixels.
Shape normal_grid(const Shape& image);

/// F^H F x = crop(inverse DFT(spectrum * DFT(pad(x)))) for the transform F of Nufft and Dft, with unnormalized DFTs.
/// The matrix F^H F depends only on the difference of two pixels. So it is a convolution with the image of a unit
/// impulse on the doubled field of view, and its spectrum is real.
///
/// Shapes  image [y, x] or [z, y, x]; values those of normal_grid(image), frequency 0 first
/// Source  Wajer and Pruessmann, ISMRM 2001, p. 767; Fessler et al., IEEE TSP 53 (2005) 3393
template <class Real>
struct NormalSpectrum {
  Shape image;         ///< shape of the image
  Array<Real> values;  ///< the spectrum, on any device
};

/// The spectrum by an adjoint NUFFT of ones, on the context's device.
///
/// Accuracy  that of a pair of transforms with the options' tolerance (test/unit/op/test_toeplitz.cpp)
/// Throws    as Nufft
template <class Real>
WHORL_PUBLIC NormalSpectrum<Real> nufft_normal(const Context& ctx, ArrayRef<const double> points, const Shape& image,
                                               const NufftOptions& options = {});

/// The spectrum by the exact sum of ones, on the context's device.
///
/// Accuracy  that of Dft, then of an FFT: relative error of F^H F below 1e-13 (double) or 1e-6 (float)
///           (test/unit/op/test_normal_spectrum.cpp)
/// Cost      samples * points of normal_grid terms
/// Progress  as Dft
/// Throws    as Dft, Cancelled
template <class Real>
WHORL_PUBLIC NormalSpectrum<Real> exact_normal(const Context& ctx, ArrayRef<const double> points, const Shape& image);

}  // namespace whorl

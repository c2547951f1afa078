// Receive coils with sensitivities that keep the k-space of a phantom exact.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"

namespace WHORL_PUBLIC whorl {

/// Sensitivities of an array of coils, each a short sum of complex exponentials:
///
///   s_c(r) = sum_m a_cm exp(2 pi i q_m.r),  so the k-space of s_c f is  F_c(k) = sum_m a_cm F(k - q_m)
///
/// without discretization error.
///
/// Source  the idea of Guerquin-Kern, Lejeune, Pruessmann, Unser, "Realistic analytical phantoms for parallel
///         magnetic resonance imaging", IEEE Trans Med Imaging 31:626 (2012)
struct PhantomCoils {
  std::array<Index, 3> matrix{1, 1, 1};      ///< x, y, z of the image
  Array<double> frequencies;                 ///< q [term, dim] in cycles per pixel
  Array<std::complex<double>> coefficients;  ///< a [coil, term]
};

/// A ring of circular loops around the z axis. Their centers are 1.6 halves of the field of view from the axis, their
/// radius is 0.7 of such a half. In 3D the loops are moved alternately up and down. Exponentials (37 in 2D, 93 in 3D,
/// with a period of 2 fields of view) are fitted in least squares to the transverse field B_x - i B_y of the loops, by
/// Biot-Savart, within the disk (3D: cylinder) inscribed in the field of view. They are scaled so that the mean of
/// sum_c |s_c|^2 there is 1. In the corners outside, the maps are smooth, but not the field of the loops.
///
/// Shapes   matrix x, y, z (z = 1: 2D)
/// Accuracy root mean square error of the fit in the disk or cylinder, relative to the field: below 1 % in 2D and 4 %
///          in 3D (tested). The maps are the fit, so the k-space is exact
/// Throws   ValueError (no coil, more than 1024, an extent that is not positive)
PhantomCoils make_phantom_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils);

/// One coil of sensitivity 1 everywhere.
PhantomCoils uniform_phantom_coil(const Context& ctx, const std::array<Index, 3>& matrix);

/// make_phantom_coils with this number of coils, or the uniform coil for 0. Throws as make_phantom_coils.
PhantomCoils receive_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils);

/// The sensitivities at the centers of the voxels.
///
/// Shapes  result [coil, y, x] or [coil, z, y, x]
template <Precision Real>
WHORL_PUBLIC Array<std::complex<Real>> phantom_coil_maps(const Context& ctx, const PhantomCoils& coils);

/// Exact k-space of the object as the coils receive it, scaled like phantom_samples. The transform of each figure is
/// computed once for all coils.
///
/// Shapes   points [sample, dim] in cycles per pixel; result [coil, sample]
/// Accuracy that of phantom_samples, and rounding of Real
/// Throws   as phantom_samples, Cancelled
template <Precision Real>
WHORL_PUBLIC Array<std::complex<Real>> phantom_coil_samples(const Context& ctx, const Phantom& phantom,
                                                            const PhantomCoils& coils, ArrayRef<const double> points);

}  // namespace whorl

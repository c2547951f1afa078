// Receive coils whose sensitivities keep the k-space of a phantom exact.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {

/// Sensitivities of an array of coils, each a short sum of complex exponentials:
///
///   s_c(r) = sum_m a_cm exp(2 pi i q_m.r),  so that the k-space of s_c f is  F_c(k) = sum_m a_cm F(k - q_m)
///
/// without any error of discretization.
///
/// Source  the idea of Guerquin-Kern, Lejeune, Pruessmann, Unser, "Realistic analytical phantoms for parallel
///         magnetic resonance imaging", IEEE Trans Med Imaging 31:626 (2012)
struct PhantomCoils {
  std::array<Index, 3> matrix{1, 1, 1};      ///< x, y, z of the image that the coils belong to
  Array<double> frequencies;                 ///< q [term, dim] in cycles per pixel
  Array<std::complex<double>> coefficients;  ///< a [coil, term]
};

/// A ring of circular loops around the z axis: centers at 1.6 times half the field of view from it, loop radius 0.7 of
/// the same; in 3D every second one is moved down and the others up. The exponentials (37 in 2D, 93 in 3D, of period 2
/// fields of view) are fitted by least squares to the transverse field B_x - i B_y of the loops by the law of Biot and
/// Savart in the disk (3D: cylinder) that fits into the field of view, and scaled so that the mean of sum_c |s_c|^2 in
/// it is 1. In the corners outside it the maps are smooth, but not the field of the loops.
///
/// Shapes   matrix x, y, z (z = 1: 2D)
/// Accuracy root-mean-square error of the fit in the disk or cylinder, relative to the field's: below 1 % in 2D and 4 %
///          in 3D (tested). The maps are the fit, so the k-space is exact
/// Throws   ValueError when there is no coil, there are more than 1024, or an extent is not positive
PhantomCoils make_phantom_coils(const Context& ctx, const std::array<Index, 3>& matrix, Index coils);

/// One coil of sensitivity 1 everywhere.
PhantomCoils uniform_phantom_coil(const Context& ctx, const std::array<Index, 3>& matrix);

/// The sensitivities at the centers of the voxels.
///
/// Shapes  result [coil, y, x] or [coil, z, y, x]
template <class Real>
Array<std::complex<Real>> phantom_coil_maps(const Context& ctx, const PhantomCoils& coils);

/// Exact k-space of the object as the coils see it, scaled like phantom_samples. The transform of each figure is
/// computed once for all coils.
///
/// Shapes   points [sample, dim] in cycles per pixel; result [coil, sample]
/// Accuracy that of phantom_samples, and rounding of Real
/// Throws   as phantom_samples, Cancelled
template <class Real>
Array<std::complex<Real>> phantom_coil_samples(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils,
                                               ArrayRef<const double> points);

}  // namespace whorl

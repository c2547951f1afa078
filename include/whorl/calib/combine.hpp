// One image from the images of the coils.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Root of the sum of squares: sqrt(sum_c |x_c|^2).
///
/// Shapes  images [coil, ...], result [...]
/// Throws  ShapeError (no coil axis, or no coil)
/// Source  Roemer, Edelstein, Hayes, Souza, Mueller, "The NMR phased array", Magn Reson Med 16:192 (1990)
template <Precision Real>
WHORL_PUBLIC Array<Real> root_sum_of_squares(const Context& ctx, ArrayRef<const std::complex<Real>> images);

/// Matched combination: sum_c conj(s_c) x_c / sum_c |s_c|^2, which has the largest signal-to-noise ratio when the
/// noise is white (prewhitened data), and is 0 where all sensitivities are 0.
///
/// Shapes  images and maps [coil, ...], result [...]
/// Throws  ShapeError
/// Source  Roemer et al. (1990), with the noise covariance equal to the identity
template <Precision Real>
WHORL_PUBLIC Array<std::complex<Real>> matched_combination(const Context& ctx,
                                                           ArrayRef<const std::complex<Real>> images,
                                                           ArrayRef<const std::complex<Real>> maps);

/// Maps with sum_c |s_c|^2 = 1 where they are not 0: s_c / sqrt(sum_d |s_d|^2).
///
/// Shapes  maps and result [coil, ...]
/// Throws  ShapeError (no coil axis, or no coil)
template <Precision Real>
WHORL_PUBLIC Array<std::complex<Real>> unit_maps(const Context& ctx, ArrayRef<const std::complex<Real>> maps);

}  // namespace whorl

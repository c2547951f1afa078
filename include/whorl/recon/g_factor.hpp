// The g-factor: the amplification of noise by the encoding.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// g = sigma sqrt(sum_c |s_c|^2) / sqrt(R), R = voxels / samples, from the standard deviation sigma of the image
/// (recon/standard_deviation.hpp) with these maps. It is the noise relative to an ideal scan: the same number of
/// samples, with the same noise each, on the Cartesian k-space of the voxels.
///
/// The ideal scan, whose transform is unitary, has sigma = 1 / sqrt(sum_c |s_c|^2) with one sample per position, and
/// sqrt(R) times that with 1/R times as many samples. So g is 1 for a fully sampled Cartesian scan without
/// regularization, also if lines are repeated, and Pruessmann's geometry factor for a Cartesian scan with evenly
/// skipped lines. On other trajectories it includes the cost of uneven sampling, even with one coil. It is below 1
/// where the image does not resolve its voxels (corners of k-space that are not sampled) or where regularization
/// removes noise. It is 0 where all sensitivities are 0.
///
/// Shapes  standard_deviation [...] on the host; maps [coil, ...] on the context's device; result [...] on the host
/// Throws  ShapeError, ValueError (no samples)
/// Source  Pruessmann, Weiger, Scheidegger, Boesiger, Magn Reson Med 42:952 (1999)
template <Precision Real>
WHORL_PUBLIC Array<Real> g_factor(const Context& ctx, ArrayRef<const Real> standard_deviation,
                                  ArrayRef<const std::complex<Real>> maps, Index samples);

}  // namespace whorl

// The g-factor: how much of the noise is the encoding's fault.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace whorl {

/// g = sigma sqrt(sum_c |s_c|^2) / sqrt(R), R = voxels / samples, from the standard deviation sigma of the image
/// (recon/standard_deviation.hpp) that was made with these maps: the noise over that of an ideal scan which spends the
/// same number of samples, with the same noise each, on the voxels' own Cartesian k-space.
///
/// Such a scan, whose transform is unitary, has sigma = 1 / sqrt(sum_c |s_c|^2) where it takes each position once, and
/// sqrt(R) times that where it takes 1/R times as many samples. So g is 1 for a fully sampled Cartesian scan without
/// regularization, however often each line is repeated, and Pruessmann's geometry factor for a Cartesian scan that
/// leaves out lines evenly. On other trajectories it holds the cost of uneven sampling too, which is there with one
/// coil already. It is below 1 where k-space is not resolved (corners that are not sampled) or where regularization
/// takes noise away. 0 where all sensitivities are 0.
///
/// Shapes  standard_deviation [...] on the host; maps [coil, ...] on the context's device; result [...] on the host
/// Throws  ShapeError, ValueError (no samples)
/// Source  Pruessmann, Weiger, Scheidegger, Boesiger, Magn Reson Med 42:952 (1999)
template <class Real>
Array<Real> g_factor(const Context& ctx, ArrayRef<const Real> standard_deviation,
                     ArrayRef<const std::complex<Real>> maps, Index samples);

}  // namespace whorl

// Receiver noise: its covariance between the coils, and prewhitening.
#pragma once

#include <complex>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// Covariance of the noise between the coils, and how it was found.
struct NoiseCovariance {
  Array<std::complex<double>> matrix;  ///< C = E[n n^H], [coil, coil], in the square of the data's unit; on the host
  Index samples = 0;                   ///< from which it was estimated
  std::string note;                    ///< how, in a sentence for people
};

/// Covariance from samples of a noise scan: C = 1/samples * sum_j n_j n_j^H. The mean of noise is zero and not
/// subtracted.
///
/// Shapes  noise [coil, sample]
/// Throws  ShapeError, ValueError (fewer samples than coils, a sample that is not finite)
/// Source  Pruessmann, Weiger, Boernert, Boesiger, "Advances in sensitivity encoding with arbitrary k-space
///         trajectories", Magn Reson Med 46:638 (2001), appendix
template <class Real>
NoiseCovariance noise_covariance(const Context& ctx, ArrayRef<const std::complex<Real>> noise);

/// Covariance from the edge of k-space, for data without a noise scan: the 10 % of the samples with the largest
/// |k|, but at least 20 per coil. What stands out of the noise there (a Mahalanobis distance over 5 standard
/// deviations of what noise has, with a scale from the median) is left out in five rounds. Where the signal does
/// not vanish at the edge of k-space the covariance comes out too large, so a noise scan is always to be preferred.
///
/// Shapes  data [coil, sample], points [sample, dim]
/// Throws  ShapeError, ValueError (too few samples, a sample that is not finite, singular covariance)
template <class Real>
NoiseCovariance noise_covariance_from_edge(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                           ArrayRef<const double> points);

/// Carries the covariance of a noise scan over to data with another dwell time. The variance of thermal noise is
/// proportional to the bandwidth of the receiver, 1/dwell, so C_data = C_noise * noise_dwell / data_dwell, as
/// ISMRMRD's tools do; their factor for the noise scan's relative receiver bandwidth, one for all coils, is left
/// out. Where either time is 0 (not known) nothing is scaled. What was done is added to the note.
///
/// Units   dwell times in any one unit
/// Throws  ValueError (negative or not finite time)
/// Source  Kellman and McVeigh, "Image reconstruction in SNR units: a general method for SNR measurement", Magn Reson
///         Med 54:1439 (2005), erratum 58:211 (2007)
void scale_to_dwell(NoiseCovariance& covariance, double noise_dwell, double data_dwell);

/// The matrix W = L^-1, lower triangular, where C = L L^H: noise of covariance C becomes W n of covariance
/// identity, that is with E|n|^2 = 1 in each coil (real and imaginary part 1/2 each; the ISMRMRD tools make them 1
/// each).
///
/// Shapes  covariance and result [coil, coil], both on the host
/// Throws  ShapeError; ValueError when C is not Hermitian or not finite, a coil has no noise, or the correlation
///         matrix (C scaled to a unit diagonal) has a condition number above 1e8, which single-precision data can not
///         bear; nothing is regularized
/// Source  Pruessmann et al. (2001), appendix
Array<std::complex<double>> prewhitening_matrix(const Context& ctx, ArrayRef<const std::complex<double>> covariance);

}  // namespace whorl

// Receiver noise: the covariance between coils, and prewhitening.
#pragma once

#include <complex>
#include <optional>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/note.hpp"

namespace WHORL_PUBLIC whorl {

/// Covariance of the noise between the coils, and how it was found.
struct NoiseCovariance {
  Array<std::complex<double>> matrix;  ///< C = E[n n^H], [coil, coil], in the square of the data's unit; on the host
  Index samples = 0;                   ///< number of samples used for the estimate
  Note note{std::string()};            ///< a sentence: how it was estimated
  bool measured = true;                ///< false: the matrix is the identity, since nothing tells of the noise
};

/// Covariance from a noise scan: C = 1/samples * sum_j n_j n_j^H. The mean, which is zero for noise, is not subtracted.
///
/// Shapes  noise [coil, sample]
/// Throws  ShapeError, ValueError (fewer samples than coils, a sample that is not finite)
/// Source  Pruessmann, Weiger, Boernert, Boesiger, "Advances in sensitivity encoding with arbitrary k-space
///         trajectories", Magn Reson Med 46:638 (2001), appendix
template <Precision Real>
WHORL_PUBLIC NoiseCovariance noise_covariance(const Context& ctx, ArrayRef<const std::complex<Real>> noise);

/// Why samples are no noise scan of the data; empty: nothing tells so. Reasons:
///
///   - There are fewer than 5 samples per coil.
///   - A coil has mostly zeros, or a tenth of its energy in outliers (ten times the mean by the median).
///   - Neighbors predict more than 95 % of a coil's energy. A receiver's filter that passes 0.6 of the band or more leaves
///     noise that is predicted to less.
///   - A coil has less than 3e-6 of the data's root mean square, which is rounding.
///   - A coil has more than 3 times the mean power of noise with the median of its data, which hold the same noise. Data of
///     0 do not count. Not judged without a scale.
///   - Coils are copies of others.
///
/// `scale` is the variance of the data's noise over that of the noise scan (dwell_scale); none: not known.
///
/// Shapes  noise, data [coil, sample]
/// Memory  that of 20000 samples of the data, where the data are
/// Throws  ShapeError, ValueError (a sample of the noise that is not finite)
template <Precision Real>
WHORL_PUBLIC std::string doubt_about_noise(const Context& ctx, ArrayRef<const std::complex<Real>> noise,
                                           std::optional<double> scale, ArrayRef<const std::complex<Real>> data);

/// Covariance from the edge of k-space, for data without a noise scan: from the 10 % of the samples with the largest
/// |k|, but at least 20 samples per coil. Samples that are zero in all coils count as not measured. In five rounds it
/// excludes outliers: samples whose Mahalanobis distance exceeds that of noise by 5 standard deviations, with a scale from
/// the median. Signal at the edge makes the covariance too large, so a noise scan is always better.
///
/// The result is the identity, `measured` is false, and the note says why, where the edge is not white noise. That is the
/// case if one coil has there: mostly zeros; less than 3e-6 of its root mean square (rounding); a median power that
/// differs more than 2.5 times between the inner and the outer half of the edge; a kurtosis of more than 1.5 times that of
/// Gaussian noise, or 10 % outliers; a correlation of more than 0.5 between samples one to four steps apart in the scan;
/// samples that the two before and the two after in all coils predict to more than 60 % of their energy.
/// Four standard deviations of each estimate are added to its bound. Besides: a coil of zeros, too few samples, and
/// correlations between the coils of a condition number above 1e4.
///
/// Shapes  data [coil, sample], points [sample, dim]
/// Throws  ShapeError, ValueError (a sample that is not finite)
template <Precision Real>
WHORL_PUBLIC NoiseCovariance noise_covariance_from_edge(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                                        ArrayRef<const double> points);

/// The variance of the data's noise over that of a noise scan: noise_dwell / data_dwell; none if a time is 0 (unknown).
std::optional<double> dwell_scale(double noise_dwell, double data_dwell);

/// Scales the covariance of a noise scan to data with another dwell time. The variance of thermal noise is proportional
/// to the bandwidth of the receiver, 1/dwell, so C_data = C_noise * noise_dwell / data_dwell, as in ISMRMRD's tools.
/// Their factor for the noise scan's relative receiver bandwidth, one for all coils, is not applied. If either time is
/// 0 (unknown), nothing is scaled. The note is extended accordingly.
///
/// Units   dwell times in any one unit
/// Throws  ValueError (negative or not finite time)
/// Source  Kellman and McVeigh, "Image reconstruction in SNR units: a general method for SNR measurement", Magn Reson
///         Med 54:1439 (2005), erratum 58:211 (2007)
void scale_to_dwell(NoiseCovariance& covariance, double noise_dwell, double data_dwell);

/// The lower triangular matrix W = L^-1, where C = L L^H. Noise n of covariance C becomes W n with the identity as
/// covariance: E|n|^2 = 1 in each coil, 1/2 each for the real and imaginary part (1 each in the ISMRMRD tools).
///
/// Shapes  covariance and result [coil, coil], both on the host
/// Throws  ShapeError; ValueError (C not Hermitian or not finite, a coil without noise, a correlation matrix (C scaled
///         to a unit diagonal) with a condition number above 1e8, too large for data in single precision). Nothing is
///         regularized
/// Source  Pruessmann et al. (2001), appendix
Array<std::complex<double>> prewhitening_matrix(const Context& ctx, ArrayRef<const std::complex<double>> covariance);

}  // namespace whorl

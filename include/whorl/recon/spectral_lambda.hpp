// Lambda from the power spectrum of the data.
#pragma once

#include "whorl/recon/choose_lambda.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Lambda of Tikhonov's penalty that minimizes the expected error of the image, without a solve. k-space is divided into
/// shells b of one cycle per field of view. Least squares weighs the object's energy in a shell as a Wiener filter does:
///
///   R(lambda) = sum_b n_b ((lambda s)^2 P_b + D_b) / (D_b + lambda s)^2
///
/// with n_b the points of the Cartesian grid in the shell, D_b the samples per grid point, P_b the power of the object
/// per grid point (the mean of sum_c |d_c|^2 less the noise), and s the largest eigenvalue of A^H A. The first term is
/// the energy that the penalty removes, the second the noise that it lets through. The corners beyond |k| = 1/2 are a
/// shell of their own, which counts if samples lie more than half a cycle beyond its inner edge. Aliases of
/// undersampled scans are not counted. The formula holds for coil maps with sum |s_c|^2 = 1, and for spectra and
/// samplings that depend little on the direction.
///
/// Shapes    data [coil, sample] with noise E|n|^2 = 1 in each sample (prewhitened), on the context's device; trajectory
///           on the host; image_shape [(z,) y, x]
/// Unit      the data times `unit` have this noise
/// Accuracy  the image's error is 0 to 15 % above the least over all lambda for radial and spiral scans, full and
///           undersampled, with an SNR of 5 to 80 (bench/lambda_rules, docs/explain/lambda.md)
/// Cost      one pass over the data
/// Throws    ShapeError (data that do not fit the trajectory), ValueError (an eigenvalue that is not above 0)
/// Source    the risk of a linear estimate with diagonal covariances: Kay, Fundamentals of Statistical Signal Processing
///           (1993), chapter 12
template <Precision Real>
WHORL_PUBLIC LambdaChoice spectral_lambda(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                                          ArrayRef<const std::complex<Real>> data, double eigenvalue, double unit = 1);

}  // namespace whorl

// Distance of a least squares image from the truth: noise, and the bias of the penalty.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "whorl/recon/error_bar_options.hpp"
#include "whorl/recon/least_squares.hpp"

namespace WHORL_PUBLIC whorl {

/// Errors of a model's images as random images tell them, whatever the object is: means over replicas of each voxel. A
/// region is the ball of voxels around a voxel within a radius.
struct ErrorMoments {
  std::vector<double> noise;         ///< E|n|^2 of the noise n
  std::vector<double> bias;          ///< E|b|^2 of the bias b of random objects: E|W rho|^2 = N / (lambda s), N voxels
  std::vector<double> taken;         ///< the part of a region's difference that the penalty takes at its middle
  std::vector<double> score_noise;   ///< variance of a region's score by the noise
  std::vector<double> score_object;  ///< by these random objects
  double noise_penalty = 0;          ///< E|W n|^2
  double bias_penalty = 0;           ///< E|W b|^2
  double residual = 0;               ///< largest final relative residual of a solve
  int iterations = 0;                ///< largest number of iterations of a solve
};

/// By `options.count` replicas, of two solves each, for data with independent noise of E|n|^2 = 1 per sample:
///
///   n = H^-1 A^H eps / s                         the noise, as in standard_deviation
///   b = H^-1 lambda W^H v / sqrt(lambda s)       the bias of an object rho with W rho = v / sqrt(lambda s), v white
///
/// The score of a region with the indicator t is z = lambda t^H W^H W x: it is 0 where the penalty pulls at nothing. Under
/// the model its variance is F / s, F = lambda t^H W^H W H^-1 (A^H A / s) t. z / F is the estimate of a difference J of
/// the region that the penalty does not know of, by generalized least squares. Its image is x + c J at the middle, with
/// c = lambda (H^-1 W^H W t).
///
/// Accuracy  R replicas leave each variance a relative error of 1/sqrt(R)
/// Seeds     a seed gives the same replicas on every device and for every batch
/// Progress  one stage of the title, one step per replica
/// Throws    ValueError (fewer than 2 replicas, a lambda of 0, a radius below 0 or not finite), ShapeError, and as solve_regularized_normal
/// Source    Wahba, J R Stat Soc B 45 (1983) 133 for the bias as a random field; Papandreou, Yuille, Adv Neural Inf Process
///           Syst 23 (2010) for its samples; Rao's score test for regions
template <Precision Real>
WHORL_PUBLIC ErrorMoments error_moments(const Context& ctx, const std::string& title,
                                        const RegularizedModel<Real>& model, double lambda, double radius,
                                        const StandardDeviationOptions& options = {});

template <class Real>
struct TruthError {
  Array<Real> bar;    ///< half width that covers the truth with 68 %; 1.96 times it with 95 %; A.domain(), on the host
  Array<Real> bound;  ///< half width for 95 %, also of a region of the moments' radius that the penalty does not know
  double contrast = 0;  ///< E|(W rho)_j|^2 of the object over what lambda takes it for, 1 / (lambda s)
};

/// The error of an image in the part along its own phase: that of its magnitude where it is well above the noise.
///
/// bar^2 = E|n|^2 / 2 + f E|b|^2. The noise has half of its energy along the phase; the bias has all of it there, if the object has
/// the phase of its surroundings. f is `contrast`, by the image's own differences:
///
///   f / (lambda s) = (|W x|^2 - E|W n|^2) / (N - lambda s (2 E|W n|^2 + E|W b|^2)),   N voxels
///
/// which is right in the mean, whatever lambda is: a lambda that is too large makes f large. It is at least 0.
///
/// bound = |c J| + 1.96 sqrt(bar^2 + c^2 var J), J the difference that the data give the region around a voxel: it holds with a
/// region there and without one.
///
/// Units   image times `unit` is in that of the moments: noise of E|n|^2 = 1 in the data
/// Shapes  image A.domain()
/// Throws  ShapeError (an image or moments that are not of the model; an image that is not [(z,) y, x]), ValueError (lambda or
///         unit not above 0, a radius below 0, or one of them not finite)
template <Precision Real>
WHORL_PUBLIC TruthError<Real> truth_error(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                                          double radius, const ErrorMoments& moments,
                                          ArrayRef<const std::complex<Real>> image, double unit = 1);

}  // namespace whorl

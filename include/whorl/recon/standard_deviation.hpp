// The noise of a least squares image, voxel by voxel.
#pragma once

#include <cstdint>
#include <string>

#include "whorl/recon/least_squares.hpp"

namespace whorl {

enum class StandardDeviationMethod {
  replica,  ///< images of made-up noise: one solve each; never negative, the same relative error in every voxel
  probe,    ///< products of the covariance with random signs: two solves each; exact where voxels share no noise
};

struct StandardDeviationOptions {
  StandardDeviationMethod method = StandardDeviationMethod::replica;
  int count = 100;  ///< replicas or probes
  Index batch = 8;  ///< solved together, at most; takes memory for some six images each
  std::uint64_t seed = 1;
  int iterations = 500;     ///< of conjugate gradient, at most
  double tolerance = 1e-6;  ///< of its relative residual
};

/// Throws ValueError where they are out of range: fewer than 2 replicas or 1 probe, a batch below 1.
void check_standard_deviation(const StandardDeviationOptions& options);

template <class Real>
struct StandardDeviation {
  Array<Real> values;         ///< A.domain(), on the host
  double relative_error = 0;  ///< standard error of a value, relative to it: that of the median voxel
  Index clipped = 0;          ///< voxels whose estimate of the variance was negative and was set to 0 (probe alone)
  int iterations = 0;         ///< most that a solve took
  double residual = 0;        ///< largest relative residual that a solve was left with
};

/// sqrt(E|x - E x|^2) of the image x = H^-1 A^H d / s, for data d with independent complex noise of E|n|^2 = 1 a sample
/// (prewhitened data): the root of the diagonal of
///
///   C = H^-1 (A^H A / s^2) H^-1.
///
/// Real and imaginary part of the image's noise are alike: the standard deviation of either, and that of the magnitude
/// where it is well above the noise, is this over sqrt(2).
///
/// replica  The image of noise alone, x = H^-1 A^H n / s, has that covariance and the mean 0, so the mean of |x|^2 over
///          R replicas estimates the variance. |x|^2 is distributed exponentially: the relative error of the variance
///          is 1/sqrt(R), that of the standard deviation 1/(2 sqrt(R)).
/// probe    The mean over P probes of Re(conj(z) C z), whose elements z_i are drawn from 1, i, -1, -i: what is not
///          on the diagonal averages out, with a variance of sum_{j != i} |C_ij|^2 / (2 P), which is estimated along
///          with it from E|(C z)_i|^2 = sum_j |C_ij|^2. At an equal number of solves it has the smaller error in voxels
///          where sum_{j != i} |C_ij|^2 < C_ii^2: where noise is hardly shared between voxels. An estimate may be
///          negative; it is then set to 0 and counted.
///
/// The default tolerance: x is at least |b| / (1 + lambda) long, and a residual of e |b| leaves an error of at most
/// e |b| / lambda where the penalty is the identity. So e = 0.01 lambda bounds the solver's relative error by 1 %, a
/// fifth of the statistical error of 100 replicas; 1e-6 is that for lambda = 1e-4.
///
/// Seeds     the replicas of a seed are the same on every device and for every batch
/// Progress  one stage of the title, one step per replica or probe; within it those of the solver
/// Throws    as check_standard_deviation and solve_regularized_normal
/// Source    Robson, Grant, Madhuranthakam, Lattanzi, Sodickson, McKenzie, Magn Reson Med 60:895 (2008);
///           Bekas, Kokiopoulou, Saad, Appl Numer Math 57:1214 (2007)
template <class Real>
StandardDeviation<Real> standard_deviation(const Context& ctx, const std::string& title,
                                           const RegularizedModel<Real>& model, double lambda,
                                           const StandardDeviationOptions& options = {});

}  // namespace whorl

// The standard deviation of each voxel of a least squares image.
#pragma once

#include <string>

#include "whorl/recon/error_bar_options.hpp"
#include "whorl/recon/least_squares.hpp"

namespace WHORL_PUBLIC whorl {

/// Throws ValueError for options out of range: fewer than 2 replicas or 1 probe, a batch below 1.
void check_standard_deviation(const StandardDeviationOptions& options);

template <class Real>
struct StandardDeviation {
  Array<Real> values;         ///< A.domain(), on the host
  double relative_error = 0;  ///< standard error of a value, relative to it: that of the median voxel
  Index clipped = 0;          ///< voxels with a negative estimate of the variance, which was set to 0 (probe only)
  int iterations = 0;         ///< largest number of iterations of a solve
  Index applications = 0;     ///< of A^H A to one image, in all solves: counted for regularized images
  double residual = 0;        ///< largest final relative residual of a solve
  bool limited = false;       ///< a regularized solve ended at the limit of iterations, perhaps before it had settled
};

/// sqrt(E|x - E x|^2) of the image x = H^-1 A^H d / s, for data d with independent complex noise of E|n|^2 = 1 per
/// sample (prewhitened data): the root of the diagonal of
///
///   C = H^-1 (A^H A / s^2) H^-1.
///
/// The real and imaginary parts of the noise have equal variance. So the standard deviation of either part, and of a
/// magnitude well above the noise, is this over sqrt(2).
///
/// replica  The image of pure noise, x = H^-1 A^H n / s, has this covariance and mean 0. So the mean of |x|^2 over R
///          replicas estimates the variance. |x|^2 has an exponential distribution: the relative error of the variance
///          is 1/sqrt(R), that of the standard deviation 1/(2 sqrt(R)).
/// probe    The mean of Re(conj(z) C z) over P probes, whose elements z_i are drawn from 1, i, -1, -i. Off-diagonal
///          elements average out, with a variance of sum_{j != i} |C_ij|^2 / (2 P), which is estimated from
///          E|(C z)_i|^2 = sum_j |C_ij|^2. For the same number of solves its error is smaller in voxels that share
///          little noise: sum_{j != i} |C_ij|^2 < C_ii^2. A negative estimate is set to 0 and counted.
///
/// The default tolerance: |x| is at least |b| / (1 + lambda). With the identity as penalty, a residual of e |b| leaves
/// an error of at most e |b| / lambda. So e = 0.01 lambda bounds the solver's relative error by 1 %, a fifth of the
/// statistical error of 100 replicas. For lambda = 1e-4 that is 1e-6.
///
/// Seeds     a seed gives the same replicas on every device and for every batch
/// Progress  one stage of the title, one step per replica or probe; within it those of the solver
/// Throws    as check_standard_deviation and solve_regularized_normal
/// Source    Robson, Grant, Madhuranthakam, Lattanzi, Sodickson, McKenzie, Magn Reson Med 60:895 (2008);
///           Bekas, Kokiopoulou, Saad, Appl Numer Math 57:1214 (2007)
template <Precision Real>
WHORL_PUBLIC StandardDeviation<Real> standard_deviation(const Context& ctx, const std::string& title,
                                                        const RegularizedModel<Real>& model, double lambda,
                                                        const StandardDeviationOptions& options = {});

}  // namespace whorl

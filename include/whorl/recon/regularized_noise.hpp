// Effect of noise on images of regularized least squares: their standard deviation.
#pragma once

#include <string>
#include <vector>

#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/recon/standard_deviation.hpp"

namespace WHORL_PUBLIC whorl {

/// sqrt(E|x - E x|^2) of the image x(d) of regularized_least_squares, for data with independent complex noise n of
/// E|n|^2 = level^2 per sample: level 1 for prewhitened data.
///
/// replica  From images x(d + n) of data with more noise: the root of their variance. It holds for any function, with the
///          object as noisy as the data are. The relative error is 1 / (2 sqrt(R - 1)) for R replicas
/// probe    From the linearization of x(d): x(d + e n) - x(d) over e, for e = 0.1. For small noise it is that of x(d). It
///          does not hold where noise decides what is shrunk to 0: pixels that are constant or 0 by chance have less spread
///          in it than they have. The relative error is 1 / (2 sqrt(P)) for P probes
///
/// Solves start from x and from `start`, which is that of x's solve and stays as it is, with its options and `nearby`. Up to
/// noise.batch replicas or probes are solved together, and with the probes the problem of x. They end when the standard
/// deviation changes by at most 5 % (l2) within 5 iterations of ADMM or 20 of another solver, or as the options say, whose
/// limit of iterations counts too (`limited`). What later iterations would add is added: a geometric series of such changes.
///
/// Shapes    b and x A.domain(); result on the host
/// Progress  one stage of the title, one step per replica or probe; within it those of the solver
/// Throws    as check_standard_deviation and regularized_least_squares
/// Source    replicas: Robson, Grant, Madhuranthakam, Lattanzi, Sodickson, McKenzie, Magn Reson Med 60 (2008) 895;
///           derivatives of such images by differences: Ramani, Blu, Unser, IEEE Trans Image Process 17 (2008) 1540; the
///           series of changes: Aitken, Proc R Soc Edinb 46 (1926) 289
template <Precision Real>
WHORL_PUBLIC StandardDeviation<Real> regularized_standard_deviation(
    const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
    const std::vector<ProximalPenalty<Real>>& penalties, const RegularizedOptions& options,
    ArrayRef<const std::complex<Real>> b, ArrayRef<const std::complex<Real>> x, const RegularizedStart<Real>& start,
    const StandardDeviationOptions& noise, double level = 1);

/// The standard deviation that noise of a sample has in a voxel of A^H d / s, in the root mean square over the voxels that A sees.
/// It is what terms weigh against: the data's part of the gradient is A^H (A x - d) / s.
///
/// Accuracy  from one random vector: about 1 / sqrt(voxels), 1 % for an image of 100 x 100
/// Source    trace: Hutchinson, Commun Stat Simul Comput 19 (1990) 433
template <Precision Real>
WHORL_PUBLIC double noise_of_voxel(const Context& ctx, const RegularizedModel<Real>& model, double noise);

}  // namespace whorl

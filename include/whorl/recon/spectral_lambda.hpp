// Lambda from the power spectrum of the data.
#pragma once

#include "whorl/op/linear_operator.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Lambda of Tikhonov's penalty that minimizes the expected error of the image, without a solve. An image x of random
/// phases with the object's power spectrum, and noise of variance v in each sample, have the expected squared error
///
///   R(lambda) = l^2 E|(A^H A + l)^-1 x|^2 + v tr[A^H A (A^H A + l)^-2],   l = lambda s,
///
/// with s the largest eigenvalue of A^H A: the first term is what the penalty removes, the second the noise that it lets
/// through. Modes that the scan tells little of, such as the half of k-space that asymmetric echoes leave to the coils,
/// count with their own eigenvalues. Both terms are integrals over the spectrum of A^H A. Gauss quadrature takes them
/// from 20 steps of Lanczos each, one from x and one from white noise, for all lambda at once.
///
/// The power spectrum P_b comes from the data: k-space is divided into shells b of one cycle per field of view, where P_b
/// is the mean of sum_c |d_c|^2 less the noise. |x|^2 is such that A x has the energy of the data less the noise.
///
/// Coil maps have errors E. Where they are not known, the expected misfit E|(A + F E) x - d|^2 has a term more than
/// |A x - d|^2 (errors in variables), and the data hold F E x as a further noise. Its energy grows with the object's:
/// v = noise + epsilon^2 |x|^2 / N, of N voxels. epsilon is 0.01, what calibration by ordinary data leaves; it is what
/// limits lambda from below where there is little noise or none. One coil without a map has no such error.
///
/// Shapes    data [coil, sample] with noise E|n|^2 = `noise` in each sample (1: prewhitened data; 0: not known), on the
///           context's device or the host; trajectory on the host; encoding [(z,) y, x] -> any
/// Unit      the data times `unit` have this noise
/// Accuracy  docs/quantification.md has the image's error for 40 scans (bench/lambda_rules)
/// Cost      40 applications of A^H A, and one pass over the data
/// Memory    three images beside what A^H A takes
/// Throws    ShapeError (data that do not fit the trajectory), ValueError (an eigenvalue that is not above 0, a noise
///           below 0, an operator that gives values that are not finite)
/// Source    the risk of a linear estimate: Kay, Fundamentals of Statistical Signal Processing (1993), chapter 12;
///           quadrature: Golub, Meurant, Matrices, Moments and Quadrature (2010), chapter 6; errors of the operator: Golub,
///           Hansen, O'Leary, SIAM J Matrix Anal Appl 21:185 (1999)
template <Precision Real>
WHORL_PUBLIC LambdaChoice spectral_lambda(const Context& ctx, const Trajectory& trajectory,
                                          const LinearOperator<Real>& encoding, ArrayRef<const std::complex<Real>> data,
                                          double eigenvalue, double noise = 1, double unit = 1);

}  // namespace whorl

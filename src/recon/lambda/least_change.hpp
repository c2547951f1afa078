// A lower limit of lambda that sees what the model of the data misses.
#pragma once

#include <complex>
#include <vector>

#include "recon/lambda/power_shells.hpp"
#include "whorl/op/linear_operator.hpp"

namespace whorl::recon {

struct LeastChange {
  double lambda = 0;  ///< the limit, or the least one that was asked for
  bool limits = false;
  int steps = 0;  ///< of Lanczos
};

/// Errors of coil maps, off-resonance and motion act as a noise that nobody has measured. Where a scan hardly determines
/// some modes, such as the side of k-space that asymmetric echoes leave to the coils, a small lambda lets it grow there.
/// The image x(l) = (A^H A + l)^-1 A^H d, l = lambda s, tells of it: with
///
///   c(l) = |dx / d log l| = l |(A^H A + l)^-2 A^H d|
///
/// the modes of eigenvalues around l count. Where they are the object's, c falls with l as the object's energy does in
/// shells of lower density: that of the power shells, with their densities in place of A^H A, is nearly c. Errors
/// outweigh the object in the modes to come where c falls less than l^(1/4), or rises. The limit is where c / l^(1/4) was
/// least before it rose by a quarter, as in the quasi-optimality criterion. A rise does not count while c is at most twice
/// what the shells have, relative to the least such ratio at larger lambda: an object may have little energy in the
/// middle of k-space. Lambda goes down from 1 in quarters of a decade to twice `least`.
///
/// c needs no image: with the matrix T of Lanczos' recurrence from b = A^H d it is l |b| |(T + l)^-2 e_1|. For each lambda
/// there are as many steps as it takes to bound the error of c by half of it; it is far below the bound.
///
/// Unit      b and shells in the same unit; `eigenvalue`: s, the largest of A^H A
/// Cost      about the steps of one or two solves by conjugate gradient at the lambda where it ends, at most `steps`
/// Memory    three images beside what A^H A takes, one of them b
/// Throws    ValueError (an operator that gives values that are not finite), Cancelled
/// Source    Tikhonov, Glasko, USSR Comput Math Math Phys 5(3):93 (1965); why it sees noise of unknown size: Kindermann,
///           Neubauer, Inverse Probl Imaging 2:291 (2008); norms from T: Golub, Meurant, Matrices, Moments and Quadrature
///           (2010), chapter 6
template <class Real>
LeastChange least_change(const Context& ctx, const LinearOperator<Real>& A, Array<std::complex<Real>> b,
                         const std::vector<PowerShell>& shells, double eigenvalue, double least, int steps);

}  // namespace whorl::recon

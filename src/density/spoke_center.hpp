// Private: the weight that the center of k-space lacks when spokes are summed.
#pragma once

namespace whorl::detail {

/// How the spokes lie in the center of k-space.
struct SpokeCenter {
  int dim = 2;
  /// Spokes go through the center, or begin at it.
  bool through = true;
  /// Through: how far before the center the last sample of one side lies, in steps, 0 <= offset < 1. From: how far
  /// behind it the first sample lies.
  double offset = 0;
  /// The step along the spoke times the extent of the field of view along it: 1 for a step of 1/FOV, 1/2 with readouts
  /// oversampled by 2.
  double step = 1;
};

/// What is to be added to the weights |rho|^(dim-1) h of a spoke of step h in the center, in units of h^dim: `c`, which
/// the sample behind it takes (from), or the two samples around it, (1 - offset) c and offset c (through).
///
/// The sum of |rho|^(dim-1) h over equal steps is exact for smooth functions but for the kink of the integrand at
/// rho = 0. For exp(2 pi i rho x) the integral is that of a generalized function and the sum a geometric one, so that
/// what is missing is known in closed form for every x. Without oversampling it is 1/2 sin^-2(pi h x) -
/// 1/(2 pi h x)^2 (through, offset 0, 2D), which begins as the 1/6 of Euler and Maclaurin at x = 0 and grows towards
/// the edge; one weight can not follow that. c is the best constant in least squares over the distances x, along the
/// spoke, of two points in a disc or ball of 9/10 of the field of view.
double center_weight(const SpokeCenter& center);

}  // namespace whorl::detail

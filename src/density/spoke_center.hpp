// Private: the extra weight at the center of k-space for sums over spokes.
#pragma once

namespace whorl::detail {

/// The samples of the spokes near the center of k-space.
struct SpokeCenter {
  int dim = 2;
  /// Spokes go through the center, or begin at it.
  bool through = true;
  /// Through: the distance of the last sample before the center, in steps, 0 <= offset < 1. From: the distance of the
  /// first sample after it.
  double offset = 0;
  /// The step along the spoke times the extent of the field of view along it: 1 for a step of 1/FOV, 1/2 with readouts
  /// oversampled by 2.
  double step = 1;
};

/// The weight c, in units of h^dim, to add at the center to the weights |rho|^(dim-1) h of a spoke of step h. The
/// sample after the center gets c (from), or the two samples around it get (1 - offset) c and offset c (through).
///
/// The sum of |rho|^(dim-1) h over equal steps is exact for smooth functions except for the kink of the integrand at
/// rho = 0. For exp(2 pi i rho x) the integral is that of a generalized function and the sum is geometric, so the
/// missing part is known in closed form for every x. Without oversampling it is 1/2 sin^-2(pi h x) -
/// 1/(2 pi h x)^2 (through, offset 0, 2D). It begins as the 1/6 of Euler and Maclaurin at x = 0 and grows towards the
/// edge, which one weight cannot follow. c is the best constant in least squares over the distances x, along the spoke,
/// of two points in a disc or ball of 9/10 of the field of view.
double center_weight(const SpokeCenter& center);

}  // namespace whorl::detail

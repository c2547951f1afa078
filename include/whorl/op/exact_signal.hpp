// The samples of an image by the exact model of the signal, without approximation.
#pragma once

#include "whorl/op/evolution_factors.hpp"

namespace WHORL_PUBLIC whorl {

/// The samples of an image through coils, of a signal that evolves during the readout, in double precision, with each
/// pixel's own evolution. It is what SignalEvolution approximates by a sum of few products:
///
///   y[c,j] = s sum_r maps[c,r] x[r] e(r, t_j) exp(-2 pi i k_j . r)
///
/// with r and s as in Nufft. Without components in `signal`, e = 1.
///
/// Shapes    maps [coil, (z,) y, x], or none, ArrayRef(), for one coil that sees everything alike; image [(z,) y, x];
///           points [sample, dim] in cycles per pixel; times [sample] in seconds; result [coil, sample]. All on the host
/// Accuracy  rounding of double (test/unit/op/test_exact_signal.cpp)
/// Cost      samples * pixels * coils terms, where x is not 0. The evolution of a pixel is computed once for all samples
///           of one time
/// Progress  a stage "exact signal"
/// Throws    ShapeError (shapes that do not fit each other), ValueError (points as check_trajectory), Cancelled
/// Source    Sutton, Noll, Fessler, IEEE Trans Med Imaging 22:178 (2003), equation 1
Array<std::complex<double>> exact_signal(const Context& ctx, ArrayRef<const std::complex<double>> maps,
                                         ArrayRef<const std::complex<double>> image, const ExponentialSignal& signal,
                                         ArrayRef<const double> points, ArrayRef<const double> times);

}  // namespace whorl

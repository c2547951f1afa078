// The error of a reconstruction's encoding operator, measured against the exact model.
#pragma once

#include <complex>
#include <functional>
#include <span>

#include "whorl/op/evolution_factors.hpp"
#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Distance of the operator A~ of a reconstruction (NUFFT, factors of the signal's evolution, float) from the exact model
/// A of the same coil maps, field and decay (exact_signal), for one image x: |A~ x - A x| / |A x|, l2 over all samples
/// and coils.
struct Certificate {
  int slice = 0;              ///< whose first frame it is for
  Index samples = 0;          ///< that were drawn, and computed by the exact model in all coils
  double relative_error = 0;  ///< estimate
  double bound = 0;           ///< with a confidence of 99 %, it is below this
};

/// Draws samples at random, with replacement, and compares. Half of the draws are even over the samples, half in
/// proportion to their energy: errors of the operator grow with the signal, and large ones are not missed then.
///
/// Let e_j be the squared error of sample j over all coils and p_j the probability that a draw takes it. The N values
/// z = e_j / p_j have the mean E = sum_j e_j = |A~ x - A x|^2. Its upper bound is mean_bound; that of the relative error
/// follows from |A x| >= |A~ x| - |A~ x - A x|.
///
/// Shapes  maps [coil, (z,) y, x] and image [(z,) y, x], on the context's device; points [sample, dim] and times
///         [sample] in seconds on the host; signal without components: no evolution; weight_roots [sample] on the host:
///         what the encoding multiplies its samples by, none: 1; turns(sample, voxel), none: what the signal has turned by
///         besides, as ConcomitantTurns
/// Cost    samples * pixels * coils terms, in double on the host
/// Seeds   a seed draws the same samples on every device
/// Throws  ValueError (fewer than least_certified samples), as exact_signal
Certificate certify(const Context& ctx, const Operator<float>& encoding, ArrayRef<const std::complex<float>> maps,
                    ArrayRef<const std::complex<float>> image, const ExponentialSignal& signal,
                    ArrayRef<const double> points, ArrayRef<const double> times, Index samples, std::uint64_t seed = 1,
                    ArrayRef<const float> weight_roots = {},
                    const std::function<double(Index sample, Index voxel)>& turns = {});

inline constexpr Index least_certified = 50;

/// An upper bound of the mean of a distribution from independent draws, with a confidence of 99 %, also where it is
/// skewed to large values, as squares are.
///
/// Accuracy  errors of the confidence fall as 1/N where the distribution has moments of order six; rare values that no
///           draw met are not covered
/// Source    Hall, "On the removal of skewness by transformation", J R Stat Soc B 54:221 (1992)
double mean_bound(std::span<const double> draws);

}  // namespace whorl

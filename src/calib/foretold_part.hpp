// Private: how much of the data follows from the samples beside them.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::detail {

/// The part of each coil's energy, 0 to 1, that a weighted sum of the two samples before and the two after foretells, in
/// least squares over the samples at `places`. The sum has all coils. Objects within the field of view are smooth in
/// k-space, and coils tell of each other's neighbors; white noise foretells nothing. Noise of a receiver's filter that
/// passes 4/5 of the band is foretold to a third, and to a half if it passes 3/4.
///
/// A place counts only if its neighbors belong to its readout and are measured (not zero in all coils), and no value's power
/// is above the limit of its coil. Weights that fit by chance are allowed for: the variance left is divided by the
/// degrees of freedom.
///
/// Empty if fewer places count than three for each weight.
template <class Real>
std::vector<double> foretold_parts(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                   ArrayRef<const double> points, std::span<const Index> places,
                                   std::span<const double> limits);

}  // namespace whorl::detail

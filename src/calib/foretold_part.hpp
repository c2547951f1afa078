// Private: how much of the data follows from the samples beside them.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::detail {

/// At most so many samples are predicted, evenly chosen; for each of them so many are taken of each coil.
inline constexpr Index most_foretold = 2000;
inline constexpr Index taken_for_one = 5;

/// The part of each coil's energy, 0 to 1, that a weighted sum of the two samples before and the two after predicts, in
/// least squares over the samples at `places`. The sum has all coils; of more than 16, those of its group of 16 at
/// most. Objects within the field of view are smooth in k-space, and coils tell of each other's neighbors; white noise
/// predicts nothing. Noise that a receiver's filter leaves in a part of the band, ideally cut, is predicted to
///
///   part passed  0.80   0.79   0.765  0.75   0.70   0.60   0.50
///   predicted    0.355  0.396  0.500  0.562  0.744  0.937  0.989
///
/// A place counts only if its neighbors belong to its readout and are measured (not zero in all coils), and no value's power
/// is above the limit of its coil, as far as its group goes. Weights that fit by chance are allowed for: the variance left is divided by the
/// degrees of freedom.
///
/// Empty if fewer places count, for some group, than three for each weight.
template <class Real>
std::vector<double> foretold_parts(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                   ArrayRef<const double> points, std::span<const Index> places,
                                   std::span<const double> limits);

/// Says which coil has the largest of the parts, where that is more than `most`; else empty.
std::string why_foretold(std::span<const double> parts, double most);

}  // namespace whorl::detail

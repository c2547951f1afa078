// Linear combinations of the coils' data: how prewhitening and coil compression are applied.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// New channels from old: result[i, ...] = sum_c matrix[i, c] data[c, ...].
///
/// Shapes   matrix [channel, coil], on the host; data [coil, ...], result [channel, ...]
/// Accuracy rounding of Real
/// Throws   ShapeError
template <class Real>
Array<std::complex<Real>> apply_channel_matrix(const Context& ctx, ArrayRef<const std::complex<double>> matrix,
                                               ArrayRef<const std::complex<Real>> data);

}  // namespace whorl

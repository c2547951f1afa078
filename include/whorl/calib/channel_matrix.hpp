// Linear combinations of the coils' data, for prewhitening and coil compression.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Virtual coils from coils: result[i, ...] = sum_c matrix[i, c] data[c, ...].
///
/// Shapes   matrix [virtual coil, coil], on the host; data [coil, ...], result [virtual coil, ...]
/// Accuracy rounding of Real
/// Throws   ShapeError
template <Precision Real>
WHORL_PUBLIC Array<std::complex<Real>> apply_channel_matrix(const Context& ctx,
                                                            ArrayRef<const std::complex<double>> matrix,
                                                            ArrayRef<const std::complex<Real>> data);

}  // namespace whorl

// Private: checks and sums over data that has a coil axis.
#pragma once

#include <complex>
#include <string_view>

#include "calib/matrix_types.hpp"
#include "whorl/core/array.hpp"

namespace whorl::detail {

/// Throws ShapeError unless the data is [coil, ...] with at least one coil and the rank lies in [lowest, highest];
/// ValueError naming the first coil and element that is not finite.
template <class Real>
void check_channels(std::string_view operation, ArrayRef<const std::complex<Real>> data, int lowest, int highest);

/// sum_j x_j x_j^H over the elements of each coil, [coil, coil], in double.
template <class Real>
Matrix<double> gram_of_channels(ArrayRef<const std::complex<Real>> data);

}  // namespace whorl::detail

// Private: checks and sums over data with a coil axis.
#pragma once

#include <complex>
#include <span>
#include <string_view>

#include "math/matrix_types.hpp"
#include "whorl/core/array.hpp"

namespace whorl::detail {

/// Throws ShapeError unless the data is [coil, ...] with at least one coil and the rank lies in [lowest, highest];
/// ValueError naming the first coil and element that is not finite. The data lies on the context's device.
template <class Real>
void check_channels(const Context& ctx, std::string_view operation, ArrayRef<const std::complex<Real>> data, int lowest,
                    int highest);

/// sum_j x_j x_j^H over the elements of each coil, [coil, coil], in double. The data lies on the context's device.
template <class Real>
Matrix<double> gram_of_channels(const Context& ctx, ArrayRef<const std::complex<Real>> data);

/// gram_of_channels over those elements whose energy [element] is at most `limit`.
template <class Real>
Matrix<double> gram_of_channels(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                ArrayRef<const double> energies, double limit);

/// |matrix x_j|^2 of each sample [sample], in double, on the context's device, where the data [coil, sample] lies. The
/// matrix, [coil, coil] and lower triangular, lies on the host.
template <class Real>
Array<double> sample_energies(const Context& ctx, const RowMajorMatrix<double>& matrix,
                              ArrayRef<const std::complex<Real>> data);

/// The samples at `places` of data [coil, sample] that lies on the context's device.
template <class Real>
Array<std::complex<Real>> take_samples(const Context& ctx, ArrayRef<const std::complex<Real>> data,
                                       std::span<const Index> places);

}  // namespace whorl::detail

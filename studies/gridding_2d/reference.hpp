// The expected result of the steps: the sum in double precision.
#pragma once

#include <complex>

#include "studies/gridding_2d/step.hpp"

namespace whorl::studies::gridding_2d {

/// grid_i = sum_j value_j window(i - place_j) for a window that is looked up so; [y, x].
Array<std::complex<double>> reference_grid(const Context& host, const Scan& scan, double b, Lookup lookup,
                                           const Sizes& sizes = {});

/// Relative l2 error of the first points of a result on the context's device.
double grid_error(const Context& ctx, ArrayRef<const float> grid, Layout layout,
                  const Array<std::complex<double>>& expected, Index points);

}  // namespace whorl::studies::gridding_2d

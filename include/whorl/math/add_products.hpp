// Elementwise sums of products over several arrays, for estimates of variance.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// sum[i] += sum_b Re(conj(x[b,i]) y[b,i]); with y = x the sum of |x[b,i]|^2. It adds in double and in the order of b,
/// so the result does not depend on the size of the batch.
///
/// Shapes  x and y [batch, ...], sum [...]
/// Throws  ShapeError
template <Precision Real>
WHORL_PUBLIC void add_products(const Context& ctx, ArrayRef<const std::complex<Real>> x,
                               ArrayRef<const std::complex<Real>> y, ArrayRef<double> sum);

}  // namespace whorl

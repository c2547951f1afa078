// Sums of products over several arrays, element by element: where variances are estimated.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace whorl {

/// sum[i] += sum_b Re(conj(x[b,i]) y[b,i]); with y = x that of |x[b,i]|^2. In double and in the order of the arrays, so
/// that the result does not depend on how many come at a time.
///
/// Shapes  x and y [batch, ...], sum [...]
/// Throws  ShapeError
template <class Real>
void add_products(const Context& ctx, ArrayRef<const std::complex<Real>> x, ArrayRef<const std::complex<Real>> y,
                  ArrayRef<double> sum);

}  // namespace whorl

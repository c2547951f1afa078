// Inner product, norm and vector update: the vector operations of the iterative solvers.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// sum conj(x_i) y_i, accumulated in double. Throws ShapeError when the shapes differ,
/// DeviceError when an array is not on the context's device.
template <Precision Real>
WHORL_PUBLIC std::complex<double> dot(const Context& ctx, ArrayRef<const std::complex<Real>> x,
                                      ArrayRef<const std::complex<Real>> y);

/// Euclidean norm, accumulated in double. Throws DeviceError when x is not on the context's device.
template <Precision Real>
WHORL_PUBLIC double norm(const Context& ctx, ArrayRef<const std::complex<Real>> x);

/// y = a x + b y; x may be y. Throws ShapeError when the shapes differ,
/// DeviceError when an array is not on the context's device.
template <Precision Real>
WHORL_PUBLIC void axpby(const Context& ctx, std::complex<double> a, ArrayRef<const std::complex<Real>> x,
                        std::complex<double> b, ConvertedRef<std::complex<Real>> y);

/// y_i = w_i x_i (y may be x) for the last axis of x and y; the leading axes are a batch. Throws ShapeError when
/// extents differ, DeviceError when an array is not on the context's device.
template <Precision Real>
WHORL_PUBLIC void multiply_weights(const Context& ctx, ArrayRef<const Real> weights,
                                   ArrayRef<const std::complex<Real>> x, ConvertedRef<std::complex<Real>> y);

/// y_i = x_i. Throws ShapeError when the shapes differ,
/// DeviceError when an array is not on the context's device.
template <Precision Real>
WHORL_PUBLIC void to_complex(const Context& ctx, ArrayRef<const Real> x, ConvertedRef<std::complex<Real>> y);

}  // namespace whorl

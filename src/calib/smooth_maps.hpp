// Smooth fields from their few low frequencies: the coils of a joint estimate.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl {

/// The Fourier coefficients a of smooth fields c within a box around k = 0, weighted such that |a|^2 is a Sobolev norm of c:
///
///   c(r) = n * sum_k w(k) a(k) exp(2 pi i k . r / P),   w(k) = (1 + smoothness |k|^2)^(-order/2)
///
/// with k in the weight in cycles per pixel: k_d / P_d for the period P_d, and n = 1/sqrt(prod P_d). The period is longer
/// than the image, so that opposite edges need not be alike.
struct SmoothMapOptions {
  double smoothness = 220;
  double order = 32;
  double period = 1.25;  ///< of the field, in extents of the image
};

/// c = W a and a = W^H c for any number of fields, as products with one matrix per axis.
///
/// Coefficients with w below 1e-5 are left out: their share of W W^H is 1e-10 of the largest one's.
///
/// Shapes  coefficients [field, box], fields [field, (z,) y, x]
template <class Real>
class SmoothMaps {
 public:
  using Complex = std::complex<Real>;

  SmoothMaps(const Context& ctx, const Shape& image, const SmoothMapOptions& options);

  /// Extents of the box of coefficients, as many as the image's.
  const Shape& box() const { return box_; }

  void forward(const Context& ctx, ArrayRef<const Complex> coefficients, ArrayRef<Complex> fields) const;
  void adjoint(const Context& ctx, ArrayRef<const Complex> fields, ArrayRef<Complex> coefficients) const;

  /// Bytes that either needs beside its arguments.
  Index scratch_bytes(Index count) const;

 private:
  // From the box to the image along one axis, and back.
  struct Axis {
    Index modes;
    Index pixels;
    Array<Complex> from_modes;  // [pixel, mode]; for the last axis [mode, pixel]
    Array<Complex> to_modes;    // its conjugate transpose
  };

  Shape image_;
  Shape box_;
  std::vector<Axis> axes_;
  Array<Real> weights_;  // [mode]: n w(k)
};

}  // namespace whorl

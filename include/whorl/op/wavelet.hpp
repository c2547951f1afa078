// Wavelet: the orthogonal wavelet transform of images, with Daubechies' filters.
#pragma once

#include <array>
#include <vector>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Daubechies' low-pass filter of extremal phase with `taps` taps, an even number from 2 (Haar) to 20, and taps / 2
/// vanishing moments. Names that count moments, such as "db4", mean twice as many taps. The sum is sqrt(2).
/// Accuracy  sum_k h[k] h[k + 2m] = (m == 0) within 1e-12 (tested)
/// Throws    ValueError (another number of taps)
/// Source    Daubechies, Ten lectures on wavelets (1992), section 6.4: the roots of her polynomial inside the unit circle
std::vector<double> daubechies_filter(int taps);

struct WaveletOptions {
  int taps = 8;    ///< of the filter (daubechies_filter)
  int levels = 0;  ///< 0: as many as leave at least 16 approximations along the shortest axis, and at least one
};

/// The orthogonal wavelet transform of each image of a series, A^H A = A A^H = 1, for any extent:
///
///   A level filters the previous level's approximation along each axis, in the order z, y, x, and keeps every second
///   value. n elements become n - floor(n/2) approximations, followed by floor(n/2) details. The even part of a line
///   wraps around. The last element of an odd line joins the approximations unchanged. An axis with one element does not
///   change. So the coefficients of the last level's approximation are at the start of each axis.
///
/// With a shift s the transform is that of the circularly shifted image x[(r + s) mod n]. Penalties on coefficients use
/// random shifts, so that no pixel always lies at an edge of the filters.
///
/// Shapes  domain and range [y, x], [z, y, x] or [frame, z, y, x]
/// Memory  two arrays of the shape for each application
/// Throws  ShapeError (another number of axes), ValueError (taps, levels)
/// Source  Mallat, IEEE Trans Pattern Anal Mach Intell 11 (1989) 674
template <class Real>
class Wavelet final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Wavelet(const Shape& shape, const WaveletOptions& options);

  /// Number of levels.
  int levels() const { return static_cast<int>(boxes_.size()) - 1; }
  /// The box z, y, x of the last level's approximations, at the start of each image.
  std::array<Index, 3> approximation() const { return boxes_.back(); }
  /// Extents frame, z, y, x.
  const std::array<Index, 4>& extent() const { return extent_; }

  /// Transforms in place to the coefficients of the circularly shifted image, and back. `scratch` has room for two images of the
  /// domain, one after the other.
  void analyze(const Context& ctx, const std::array<Index, 3>& shift, ArrayRef<Complex> x,
               ArrayRef<Complex> scratch) const;
  void synthesize(const Context& ctx, const std::array<Index, 3>& shift, ArrayRef<Complex> x,
                  ArrayRef<Complex> scratch) const;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;
  void pass_level(const Context& ctx, int level, const std::array<Index, 3>& shift, bool inverse, Complex* x,
                  Complex* scratch) const;

  std::array<Index, 4> extent_;
  std::vector<std::array<Index, 3>> boxes_;  // of the approximations before each level, and after the last
  std::vector<Real> low_;
};

}  // namespace whorl

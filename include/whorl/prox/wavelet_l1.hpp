// WaveletL1: the sum of magnitudes of wavelet coefficients.
#pragma once

#include <cstdint>

#include "whorl/op/wavelet.hpp"
#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

struct WaveletL1Options {
  WaveletOptions wavelet{};
  bool joint = false;          ///< the magnitude is the Euclidean norm over the frames
  bool shifts = true;          ///< passes differ by shifts; false: all are pass 0
  std::uint64_t seed = 1;      ///< of the shifts
  bool approximation = false;  ///< the approximations of the last level count too
};

/// g(x) = sum of |c| over the coefficients c = Psi x: the details of all levels, and with `approximation` the
/// approximations of the last level. Psi is orthogonal (whorl/op/wavelet.hpp), so prox_{t g}(x) = Psi^H shrink_t(Psi x).
///
/// In pass n > 0 the image is shifted circularly along each axis, the same for all frames. Passes that follow each other have
/// shifts that differ as much as they can (a digital sequence, by the seed): their mean comes near that of all shifts
/// sooner than with independent ones.
///
/// Shapes  [y, x], [z, y, x] or [frame, z, y, x]
/// Memory  two arrays of the shape during prox, and a third one during value
/// Throws  ShapeError, ValueError (as Wavelet)
/// Source  shifts: Figueiredo and Nowak, IEEE Trans Image Process 12 (2003) 906; sequence: Niederreiter, Monatsh Math 104
///         (1987) 273
template <class Real>
class WaveletL1 final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  WaveletL1(const Shape& shape, const WaveletL1Options& options);

  bool has_versions() const override { return options_.shifts; }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;
  bool value_takes_long() const override { return true; }
  double do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  /// The proximal point; calls `look` with the groups that shrink when x holds the coefficients that are left.
  template <class Look>
  void shrink(const Context& ctx, double step, ArrayRef<Complex> x, Index pass, const Look& look) const;

  Wavelet<Real> wavelet_;
  WaveletL1Options options_;
};

}  // namespace whorl

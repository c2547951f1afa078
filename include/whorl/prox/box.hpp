// Box: real images with values in an interval.
#pragma once

#include <limits>

#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// 0 if all values are real and within [low, high], otherwise infinite; Box(shape, 0) demands images without negative
/// values. The proximal point is the nearest such image: the real parts, clamped.
///
/// Throws  ValueError (low above high, or NaN)
template <class Real>
class Box final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  Box(const Shape& shape, double low, double high = std::numeric_limits<double>::infinity());
  bool is_constraint() const override { return true; }
  bool is_pointwise() const override { return low_ <= 0 && high_ >= 0; }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  double low_;
  double high_;
};

}  // namespace whorl

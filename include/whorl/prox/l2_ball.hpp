// L2Ball: arrays within a distance of a given one.
#pragma once

#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// 0 if |x - center| <= radius, otherwise infinite. The proximal point is the nearest array of the ball.
///
/// Throws  ValueError (a radius below 0)
template <class Real>
class L2Ball final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  L2Ball(Array<Complex> center, double radius);
  bool is_constraint() const override { return true; }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  Array<Complex> center_;
  double radius_;
};

}  // namespace whorl

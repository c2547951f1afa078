// A function of the caller's as a term of a reconstruction.
#pragma once

#include <complex>
#include <memory>

#include "whorl/prox/proximal_function.hpp"

namespace whorl {

/// u^2 g(x / u), of each frame of a series by itself where g is a function of one image. With prox_{t g} it has
/// prox(x) = u prox_{t g}(x / u).
class OwnTerm final : public ProximalFunction<float> {
 public:
  /// series [frame, z, y, x]; u above 0. Throws ShapeError where g is neither of the series nor of an image.
  OwnTerm(const Shape& series, std::shared_ptr<const ProximalFunction<float>> g, double u);

 private:
  using Complex = std::complex<float>;

  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  std::shared_ptr<const ProximalFunction<float>> g_;
  double unit_;
};

}  // namespace whorl

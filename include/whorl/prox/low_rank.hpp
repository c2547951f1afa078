// LowRank: the sum of singular values of a whole series of images.
#pragma once

#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// g(x) = the nuclear norm (the sum of singular values) of the matrix with a column for each image of the series and a row
/// for each pixel.
///
///   prox_{t g}(x) replaces each singular value s by max(0, s - t)
///
/// Shapes    [image, ...]
/// Accuracy  singular values below about 1e-7 of the largest are only rounding: they come from a Gram matrix in double
/// Memory    one more series; the Gram matrix [image, image] lies on the host, which finds its eigenvectors
/// Throws    ShapeError (fewer than two axes, no elements)
/// Source    Cai, Candes, Shen, SIAM J Optim 20 (2010) 1956
template <class Real>
class LowRank final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit LowRank(const Shape& shape);

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;
  bool value_takes_long() const override { return true; }
  double do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;
};

}  // namespace whorl

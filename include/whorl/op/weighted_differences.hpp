// WeightedDifferences: weighted first differences of an image, the W of a quasi-Bayesian reconstruction.
#pragma once

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// The differences between each pixel and the next one along each axis, without wraparound:
///
///   forward  y[a,r] = w[a,r] (x[r+e_a] - x[r]) / (2 sqrt(dim)),  0 where r is the last pixel of axis a
///   normal   z[r] = sum_a (w[a,r-e_a]^2 (x[r] - x[r-e_a]) - w[a,r]^2 (x[r+e_a] - x[r])) / (4 dim)
///
/// a counts the image's axes in order: 0 is z in 3D and y in 2D, the last is x. Small weights across an edge preserve
/// it. Weights of 1 everywhere are plain smoothness. A constant image has no penalty.
///
/// The norm is at most 1, as RegularizedModel requires of a penalty (whorl/recon/least_squares.hpp). For a line of n
/// pixels, D^T D has the eigenvalues 2 - 2 cos(pi k/n), k = 0, ..., n-1, all below 4. For dim axes together they are
/// below 4 dim. Weights of at most 1 make no term of |W x|^2 larger.
///
/// Shapes  domain the image, [z, y, x] ([y, x] in 2D); range and weights [axis, z, y, x] ([axis, y, x])
/// Cost    the normal operator passes once over image and weights
/// Throws  ShapeError (an image without 2 or 3 axes or without pixels, weights of another shape), ValueError (a weight
///         outside 0 to 1)
/// Threads as LinearOperator
/// Source  Haldar, Hernando, Song, Liang, Magn Reson Med 59 (2008) 810
template <class Real>
class WeightedDifferences final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Weights on another device are copied to the context's. Without elements: 1 everywhere.
  WeightedDifferences(const Context& ctx, const Shape& image_shape, Array<Real> weights = {});

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Array<Real> weights_;
};

}  // namespace whorl

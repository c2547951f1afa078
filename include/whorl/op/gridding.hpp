// Gridding: convolution interpolation between a periodic grid of k-space and samples along a trajectory.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"
#include "whorl/op/window.hpp"

namespace WHORL_PUBLIC whorl {

/// Interpolation from a grid with a window. Index i of a grid axis of n points is at k = i/n modulo 1.
///
///   forward  y[b,j] = sum_i x[b,i] window(i - n k_j)
///   adjoint  x[b,i] = sum_j y[b,j] window(i - n k_j)
///
/// Shapes    domain [batch, grid...], grids of 1 to 3 axes; range [batch, sample]
/// Units     k in cycles per grid point, |k| <= 0.5
/// Accuracy  the window to 1e-6 (float) and 1e-13 (double) of its peak
/// Throws    ShapeError (shape mismatch), ValueError (|k| > 0.5, non-finite k)
/// Threads    as LinearOperator
template <class Real>
class Gridding final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Gridding(const Context& ctx, ArrayRef<const double> points, const Shape& grid, const Window& window, Index batch = 1);
  Gridding(Gridding&&) noexcept;
  ~Gridding() override;

 private:
  class Plan;
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const Plan> plan_;
};

}  // namespace whorl

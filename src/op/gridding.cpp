#include "whorl/op/gridding.hpp"

#include <limits>

#include "kernels/gridding.hpp"
#include "op/encoding_shapes.hpp"
#include "op/window/window_polynomial.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

template <class Real>
class Gridding<Real>::Plan {
 public:
  std::shared_ptr<const kernels::GriddingPlan<Real>> kernel;
};

template <class Real>
Gridding<Real>::Gridding(const Context& ctx, ArrayRef<const double> points, const Shape& grid, const Window& window,
                         Index batch)
    : LinearOperator<Real>(encoding_domain(ctx, "gridding", points, grid, batch, 1), {batch, points.extent(0)},
                           "Gridding", ctx.device()) {
  const double tolerance = 8 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  const OnDevice<double> here(ctx, points);
  const kernels::GriddingGeometry geometry{here.get(), kernels::dense_layout(padded_to_3d(grid)),
                                           fit_window(window, tolerance)};
  plan_ = std::make_shared<const Plan>(Plan{kernels::make_gridding_plan<Real>(ctx, geometry)});
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
Gridding<Real>::Gridding(Gridding&&) noexcept = default;
template <class Real>
Gridding<Real>::~Gridding() = default;

template <class Real>
void Gridding<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->kernel->interpolate(ctx, x.data(), y.data(), x.extent(0));
}

template <class Real>
void Gridding<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->kernel->spread(ctx, y.data(), x.data(), x.extent(0));
}

template class Gridding<float>;
template class Gridding<double>;

}  // namespace whorl

// The NUFFT on a CPU: op/nufft_design chooses window, width and oversampling with a cost model and bounds of the
// window's error (op/window/window_error). gridding_tiles sorts the samples into tiles, cuts the samples of a tile into
// parts, and sorts each part by cells of the grid. Tiles of one color are written at the same time, without atomics.
// They are written directly to the grid unless they cross its end. Crowded tiles in single precision are added block by
// block into sums in double (crowded_tile). padded_fft transforms a padded image: it skips zeros, deapodizes in its
// first or last pass, and transforms many lines at once, one per lane (line_fft). The grids of four coils are
// interleaved point by point in all passes (kernels::GridLayout). The loops of gridding run over these four coils; for
// the remaining one to three coils they run along the window. convolution applies the normal operator by Toeplitz
// embedding, with the same passes over lines.
#include "whorl/op/nufft.hpp"

#include <algorithm>

#include "kernels/grid_layout.hpp"
#include "op/nufft_plan.hpp"

namespace whorl {

template <class Real>
Nufft<Real>::Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
                   const NufftOptions& options)
    : LinearOperator<Real>(encoding_domain(ctx, "nufft", points, image_shape, coils, 1), {coils, points.extent(0)},
                           "Nufft", ctx.device()),
      plan_(std::make_shared<const NufftPlan<Real>>(ctx, points, image_shape, options, nullptr)) {
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
Nufft<Real>::Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
                   const NufftOptions& options, const NormalSpectrum<Real>& normal)
    : LinearOperator<Real>(encoding_domain(ctx, "nufft", points, image_shape, coils, 1), {coils, points.extent(0)},
                           "Nufft", ctx.device()),
      plan_(std::make_shared<const NufftPlan<Real>>(ctx, points, image_shape, options, &normal)) {
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
Nufft<Real>::Nufft(const Nufft& other, Index coils)
    : LinearOperator<Real>(other.domain().tail().with_front(coils), {coils, other.range()[1]}, "Nufft", other.device()),
      plan_(other.plan_) {
  if (coils < 1) throw ShapeError("nufft: expected at least one coil");
}

template <class Real>
Nufft<Real>::Nufft(Nufft&&) noexcept = default;
template <class Real>
Nufft<Real>::~Nufft() = default;

template <class Real>
const Window& Nufft<Real>::window() const {
  return plan_->window();
}

template <class Real>
const Shape& Nufft<Real>::grid() const {
  return plan_->grid();
}

template <class Real>
Index Nufft<Real>::coils_at_once() const {
  return plan_->coils_at_once(this->range()[0]);
}

template <class Real>
void Nufft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->forward(ctx, x, y);
}

template <class Real>
void Nufft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->adjoint(ctx, y, x);
}

template <class Real>
void Nufft<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  plan_->normal(ctx, x, z);
}

template <class Real>
NufftOptions same_on_every_device(const Context& ctx, const Shape& image_shape, Index samples, NufftOptions options) {
  const NufftDesign design = design_nufft(ctx.host(), image_shape, samples, options, unit_roundoff<Real>);
  options.oversampling = design.window.oversampling();
  return options;
}

template class Nufft<float>;
template class Nufft<double>;
template NufftOptions same_on_every_device<float>(const Context&, const Shape&, Index, NufftOptions);
template NufftOptions same_on_every_device<double>(const Context&, const Shape&, Index, NufftOptions);

}  // namespace whorl

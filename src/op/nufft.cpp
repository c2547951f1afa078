#include "whorl/op/nufft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/grid_layout.hpp"
#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"
#include "kernels/padded_fft.hpp"
#include "op/encoding_shapes.hpp"
#include "op/nufft_design.hpp"
#include "op/toeplitz.hpp"
#include "op/window_polynomial.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

namespace {

template <class Real>
Index most_coils_at_once(const Context& ctx, Index grid_points) {
  return kernels::most_coils_at_once(ctx, grid_points * static_cast<Index>(sizeof(std::complex<Real>)));
}

bool wants_toeplitz(const Context& ctx, const NufftDesign& design, const Shape& image, Index samples,
                    const NufftOptions& options) {
  if (options.normal == NormalMethod::automatic) return toeplitz_is_faster(ctx, design, toeplitz_grid(image), samples);
  return options.normal == NormalMethod::toeplitz;
}

}  // namespace

template <class Real>
class NufftPlan {
 public:
  using Complex = std::complex<Real>;

  NufftPlan(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, const NufftOptions& options)
      : design_(design_nufft(ctx, image_shape, points.extent(0), options, unit_roundoff<Real>)),
        fft_(kernels::make_padded_fft<Real>(ctx, geometry_of(padded_to_3d(image_shape), padded_to_3d(design_.grid)))),
        most_at_once_(most_coils_at_once<Real>(ctx, fft_->layout().size())) {
    const OnDevice<double> here(ctx, points);
    // An error of the polynomials enters the result as the rounding of the grid does.
    const double dim = image_shape.rank();
    const double polynomial_tolerance =
        0.05 * options.tolerance / (dim * std::sqrt(window().width()) * window().amplification());
    gridding_ = kernels::make_gridding_plan<Real>(
        ctx, {here.get(), fft_->layout(), fit_window(window(), polynomial_tolerance)});
    if (wants_toeplitz(ctx, design_, image_shape, points.extent(0), options)) {
      normal_ = make_toeplitz<Real>(ctx, here.get(), image_shape, options);
    }
  }

  const Window& window() const { return design_.window; }
  const Shape& grid() const { return design_.grid; }
  Index coils_at_once(Index coils) const { return std::min(most_at_once_, coils); }

  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      fft_->forward(ctx, x.slice(first).data(), grids.data(), coils);
      gridding_->interpolate(ctx, grids.data(), y.slice(first).data(), coils);
    });
  }

  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      gridding_->spread(ctx, y.slice(first).data(), grids.data(), coils);
      fft_->adjoint(ctx, grids.data(), x.slice(first).data(), coils);
    });
  }

  /// F^H F, or nothing where it is adjoint after forward.
  const kernels::Convolution<Real>* normal() const { return normal_.get(); }

 private:
  template <class Work>
  void for_each_batch(const Context& ctx, Index coils, const Work& work) const {
    const Index batch = coils_at_once(coils);
    Array<Complex> grids(ctx, {batch, fft_->layout().size()});
    for (Index first = 0; first < coils; first += batch) work(grids, first, std::min(batch, coils - first));
  }

  kernels::PaddedFftGeometry<Real> geometry_of(const std::array<Index, 3>& image,
                                               const std::array<Index, 3>& grid) const {
    kernels::PaddedFftGeometry<Real> geometry{image, grid, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) geometry.factor[axis] = deapodization(image[axis], grid[axis]);
    return geometry;
  }

  // 1/transform at every pixel of an axis, with the axis' part of the scale.
  std::vector<Real> deapodization(Index pixels, Index points) const {
    std::vector<Real> factor;
    const double scale = 1 / std::sqrt(static_cast<double>(pixels));
    const Index center = pixels / 2;
    for (Index i = 0; i < pixels; ++i) {
      const double f = static_cast<double>(i - center) / static_cast<double>(points);
      // An axis that is not there (2D) has one point and is not convolved.
      factor.push_back(static_cast<Real>(points == 1 ? 1.0 : scale / window().transform(f)));
    }
    return factor;
  }

  NufftDesign design_;
  std::shared_ptr<const kernels::PaddedFft<Real>> fft_;
  Index most_at_once_;
  std::shared_ptr<const kernels::GriddingPlan<Real>> gridding_;
  std::shared_ptr<const kernels::Convolution<Real>> normal_;
};

template <class Real>
Nufft<Real>::Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
                   const NufftOptions& options)
    : LinearOperator<Real>(encoding_domain(ctx, "nufft", points, image_shape, coils), {coils, points.extent(0)}),
      plan_(std::make_shared<const NufftPlan<Real>>(ctx, points, image_shape, options)) {}

template <class Real>
Nufft<Real>::Nufft(const Nufft& other, Index coils)
    : LinearOperator<Real>(other.domain().tail().with_front(coils), {coils, other.range()[1]}), plan_(other.plan_) {
  if (coils < 1) throw ShapeError("nufft: expected at least one coil");
}

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
  if (plan_->normal() == nullptr) return LinearOperator<Real>::do_normal(ctx, x, z);
  plan_->normal()->apply(ctx, x.data(), z.data(), x.extent(0));
}

template <class Real>
NufftOptions same_on_every_device(const Context& ctx, const Shape& image_shape, Index samples, NufftOptions options) {
  const Context host = ctx.host();
  const NufftDesign design = design_nufft(host, image_shape, samples, options, unit_roundoff<Real>);
  options.normal =
      wants_toeplitz(host, design, image_shape, samples, options) ? NormalMethod::toeplitz : NormalMethod::pair;
  options.oversampling = design.window.oversampling();
  return options;
}

template <class Real>
NufftMemory nufft_memory(const Context& ctx, Index samples, const Shape& image_shape, Index coils,
                         const NufftOptions& options) {
  const NufftDesign design = design_nufft(ctx, image_shape, samples, options, unit_roundoff<Real>);
  const Index points = kernels::points_with_padding(design.grid);
  const Index at_once = std::min(most_coils_at_once<Real>(ctx, points), coils);
  const kernels::GriddingMemory gridding =
      kernels::gridding_memory(ctx, {design.grid.rank(), design.window.width(), design.grid.size(), samples},
                               static_cast<Index>(sizeof(Real)), at_once);
  NufftMemory memory{.plan = gridding.plan,
                     .work = at_once * points * static_cast<Index>(sizeof(std::complex<Real>)) + gridding.work};
  if (wants_toeplitz(ctx, design, image_shape, samples, options)) {
    const NufftMemory toeplitz = toeplitz_memory<Real>(ctx, samples, image_shape, coils, options);
    memory.plan += toeplitz.plan;
    memory.normal = toeplitz.normal;
    memory.planning = toeplitz.planning;
  } else {
    memory.normal = memory.work + coils * samples * static_cast<Index>(sizeof(std::complex<Real>));
  }
  return memory;
}

template class Nufft<float>;
template class Nufft<double>;
template NufftOptions same_on_every_device<float>(const Context&, const Shape&, Index, NufftOptions);
template NufftOptions same_on_every_device<double>(const Context&, const Shape&, Index, NufftOptions);
template NufftMemory nufft_memory<float>(const Context&, Index, const Shape&, Index, const NufftOptions&);
template NufftMemory nufft_memory<double>(const Context&, Index, const Shape&, Index, const NufftOptions&);

}  // namespace whorl

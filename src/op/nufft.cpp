#include "whorl/op/nufft.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/deapodize.hpp"
#include "kernels/gridding.hpp"
#include "op/encoding_shapes.hpp"
#include "op/window_polynomial.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

// The FFT of a grid of a few MB runs in cache, and the window is evaluated once for all coils of a batch.
constexpr Index batch_bytes = Index{32} << 20;

Shape oversampled_grid(const Shape& image, double oversampling) {
  std::vector<Index> extents;
  for (const Index n : image) {
    // A hair below the product: 1.25 * 96 must not become 122 by rounding.
    extents.push_back(next_fast_even(static_cast<Index>(std::ceil(oversampling * static_cast<double>(n) - 1e-9))));
  }
  return Shape(extents);
}

template <class Real>
Index coils_per_batch(const Shape& grid, Index coils) {
  const Index bytes = grid.size() * static_cast<Index>(sizeof(std::complex<Real>));
  return std::clamp<Index>(batch_bytes / bytes, 1, coils);
}

template <class Real>
Window window_for(const Shape& image, const NufftOptions& options) {
  return choose_window(options.window, options.oversampling, options.tolerance, image.rank(),
                       std::numeric_limits<Real>::epsilon() / 2);
}

}  // namespace

template <class Real>
class NufftPlan {
 public:
  using Complex = std::complex<Real>;

  NufftPlan(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, const NufftOptions& options)
      : window_(window_for<Real>(image_shape, options)),
        grid_(oversampled_grid(image_shape, options.oversampling)),
        image_(padded_to_3d(image_shape)),
        grid3_(padded_to_3d(grid_)),
        fft_(make_fft_plan<Real>(ctx, grid_)) {
    // An error of the polynomials enters the result as the rounding of the grid does.
    const double dim = image_shape.rank();
    const double polynomial_tolerance =
        0.05 * options.tolerance / (dim * std::sqrt(window_.width()) * window_.amplification());
    const kernels::GriddingGeometry geometry{
        points, {grid_.begin(), grid_.end()}, fit_window(window_, polynomial_tolerance)};
    gridding_ = kernels::make_gridding_plan<Real>(ctx, geometry);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      factor_[axis] = deapodization(ctx, image_[axis], grid3_[axis]);
    }
  }

  const Window& window() const { return window_; }
  const Shape& grid() const { return grid_; }

  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      kernels::pad_deapodize<Real>(ctx, shape(), x.slice(first).data(), grids.data(), coils);
      fft_->execute(ctx, FftDirection::forward, grids.data(), coils);
      gridding_->interpolate(ctx, grids.data(), y.slice(first).data(), coils);
    });
  }

  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& grids, Index first, Index coils) {
      gridding_->spread(ctx, y.slice(first).data(), grids.data(), coils);
      fft_->execute(ctx, FftDirection::inverse, grids.data(), coils);
      kernels::crop_deapodize<Real>(ctx, shape(), grids.data(), x.slice(first).data(), coils);
    });
  }

 private:
  template <class Work>
  void for_each_batch(const Context& ctx, Index coils, const Work& work) const {
    const Index batch = coils_per_batch<Real>(grid_, coils);
    Array<Complex> grids(ctx, grid_.with_front(batch));
    for (Index first = 0; first < coils; first += batch) work(grids, first, std::min(batch, coils - first));
  }

  // 1/transform at every pixel of an axis, with the axis' part of the scale.
  Array<Real> deapodization(const Context& ctx, Index pixels, Index points) const {
    Array<Real> factor(ctx, {pixels});
    const double scale = 1 / std::sqrt(static_cast<double>(pixels));
    const Index center = pixels / 2;
    for (Index i = 0; i < pixels; ++i) {
      const double f = static_cast<double>(i - center) / static_cast<double>(points);
      // An axis that is not there (2D) has one point and is not convolved.
      factor.span()[static_cast<std::size_t>(i)] = static_cast<Real>(points == 1 ? 1.0 : scale / window_.transform(f));
    }
    return factor;
  }

  kernels::DeapodizeShape<Real> shape() const {
    return {image_, grid3_, {factor_[0].data(), factor_[1].data(), factor_[2].data()}};
  }

  Window window_;
  Shape grid_;
  std::array<Index, 3> image_;
  std::array<Index, 3> grid3_;
  std::shared_ptr<const FftPlan<Real>> fft_;
  std::shared_ptr<const kernels::GriddingPlan<Real>> gridding_;
  std::array<Array<Real>, 3> factor_;
};

template <class Real>
Nufft<Real>::Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
                   const NufftOptions& options)
    : LinearOperator<Real>(encoding_domain("nufft", points, image_shape, coils), {coils, points.extent(0)}),
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
void Nufft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->forward(ctx, x, y);
}

template <class Real>
void Nufft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->adjoint(ctx, y, x);
}

template <class Real>
NufftMemory nufft_memory(Index samples, const Shape& image_shape, Index coils, int threads,
                         const NufftOptions& options) {
  constexpr Index tile_bytes = Index{512} * 1024;  // buffers of one thread
  const Shape grid = oversampled_grid(image_shape, options.oversampling);
  const Index per_sample = image_shape.rank() * static_cast<Index>(sizeof(std::int32_t) + sizeof(Real)) + 4;
  return {.plan = samples * per_sample,
          .work = coils_per_batch<Real>(grid, coils) * grid.size() * static_cast<Index>(sizeof(std::complex<Real>)) +
                  threads * tile_bytes};
}

template class Nufft<float>;
template class Nufft<double>;
template NufftMemory nufft_memory<float>(Index, const Shape&, Index, int, const NufftOptions&);
template NufftMemory nufft_memory<double>(Index, const Shape&, Index, int, const NufftOptions&);

}  // namespace whorl

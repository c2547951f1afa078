#include "op/nonuniform/single_axis_fft.hpp"

#include "kernels/modulate.hpp"
#include "whorl/core/array.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

using kernels::Factor;

template <class Real>
class SingleAxisFft final : public kernels::PaddedFft<Real> {
 public:
  using Complex = std::complex<Real>;

  SingleAxisFft(const Context& ctx, const kernels::PaddedFftGeometry<Real>& geometry)
      : pixels_(geometry.image[2]),
        points_(geometry.grid[2]),
        half_(pixels_ / 2),
        fft_(make_fft_plan<Real>(ctx, {points_})),
        factor_(ctx, {pixels_}) {
    this->layout_ = kernels::dense_layout(geometry.grid);
    Array<Complex> factor(ctx.host(), {pixels_});
    for (Index i = 0; i < pixels_; ++i) factor.data()[i] = geometry.factor[2][static_cast<std::size_t>(i)];
    copy<Complex>(ctx, factor, factor_);
  }

  void forward(const Context& ctx, const Complex* images, Complex* grids, Index batch) const override {
    fill<Complex>(ctx, ArrayRef<Complex>(grids, {batch, points_}, ctx.device()), Complex{});
    for (Index b = 0; b < batch; ++b) {
      const Complex* const image = images + b * pixels_;
      Complex* const grid = grids + b * points_;
      kernels::modulate<Real>(ctx, Factor::plain, 1, pixels_ - half_, factor_.data() + half_, image + half_, grid);
      if (half_ == 0) continue;
      kernels::modulate<Real>(ctx, Factor::plain, 1, half_, factor_.data(), image, grid + points_ - half_);
    }
    fft_->execute(ctx, FftDirection::forward, grids, batch);
  }

  void adjoint(const Context& ctx, Complex* grids, Complex* images, Index batch) const override {
    fft_->execute(ctx, FftDirection::inverse, grids, batch);
    for (Index b = 0; b < batch; ++b) {
      Complex* const image = images + b * pixels_;
      const Complex* const grid = grids + b * points_;
      kernels::modulate<Real>(ctx, Factor::plain, 1, pixels_ - half_, factor_.data() + half_, grid, image + half_);
      if (half_ == 0) continue;
      kernels::modulate<Real>(ctx, Factor::plain, 1, half_, factor_.data(), grid + points_ - half_, image);
    }
  }

  void forward_of_coils(const Context& ctx, const Complex* image, const Complex* maps, Complex* grids,
                        Index batch) const override {
    Array<Complex> images(ctx, {batch, pixels_});
    kernels::modulate<Real>(ctx, Factor::plain, batch, pixels_, image, maps, images.data());
    forward(ctx, images.data(), grids, batch);
  }

  void adjoint_of_coils(const Context& ctx, Complex* grids, const Complex* maps, Complex* image, Index batch,
                        const kernels::CoilSum<Real>& sum) const override {
    Array<Complex> images(ctx, {batch, pixels_});
    adjoint(ctx, grids, images.data(), batch);
    for (Index b = 0; b < batch; ++b) {
      const auto& multiply = sum.first + b > 0 ? kernels::modulate_add<Real> : kernels::modulate<Real>;
      multiply(ctx, Factor::conjugate, 1, pixels_, maps + b * pixels_, images.data() + b * pixels_, image);
    }
  }

 private:
  Index pixels_;
  Index points_;
  Index half_;
  std::shared_ptr<const FftPlan<Real>> fft_;
  Array<Complex> factor_;
};

}  // namespace

template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_single_axis_fft(const Context& ctx,
                                                                     const kernels::PaddedFftGeometry<Real>& geometry) {
  return std::make_shared<const SingleAxisFft<Real>>(ctx, geometry);
}

template std::shared_ptr<const kernels::PaddedFft<float>> make_single_axis_fft(
    const Context&, const kernels::PaddedFftGeometry<float>&);
template std::shared_ptr<const kernels::PaddedFft<double>> make_single_axis_fft(
    const Context&, const kernels::PaddedFftGeometry<double>&);

}  // namespace whorl

// Transforms of padded images by passes over lines: the entry of this folder. Which kernel takes which input, and why:
//
//   lines along x                    transform_lines     neighbors in memory belong to one line
//   columns along y and z            transform_columns   neighbors in memory belong to neighboring columns
//   one image and its coil maps      transform_products, no coil image is stored: the first pass multiplies by the
//                                    sum_products        maps when it reads, the last one adds the coils
//   the normal operator of a NUFFT   convolve_columns    transform, product with the spectrum, inverse in one pass
//   float, lengths in                StaticPlan          radices that the compiler knows
//   line_fft_tuning.hpp
//   other lengths, double            DynamicPlan         radices as an argument of the launch
#include "kernels/padded_fft.hpp"

#include "backend/cuda/lines/coil_line_passes.hpp"
#include "backend/cuda/lines/padded_axes.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
kernels::GridLayout layout_of(const std::array<Index, 3>& grid) {
  const Index row = padded_row<Real>(grid[2]);
  return {grid, row, row * grid[1]};
}

template <class Real>
class LinePaddedFft final : public kernels::PaddedFft<Real> {
 public:
  using Complex = std::complex<Real>;

  LinePaddedFft(const Context& ctx, const kernels::PaddedFftGeometry<Real>& geometry)
      : axes_(ctx, geometry.grid), image_(geometry.image) {
    for (std::size_t axis = 0; axis < 3; ++axis) factor_[axis] = upload<Real>(ctx, geometry.factor[axis]);
    this->layout_ = layout_of<Real>(geometry.grid);
  }

  void forward(const Context& ctx, const Complex* images, Complex* grids, Index batch) const override {
    run_lines<Real>(ctx, axes_[2], to_grids(images, grids), batch);
    forward_columns(ctx, grids, batch);
  }

  void adjoint(const Context& ctx, Complex* grids, Complex* images, Index batch) const override {
    adjoint_columns(ctx, grids, batch);
    run_lines<Real>(ctx, axes_[2], to_images(grids, images), batch);
  }

  void forward_of_coils(const Context& ctx, const Complex* image, const Complex* maps, Complex* grids,
                        Index batch) const override {
    run_products<Real>(ctx, axes_[2], to_grids(image, grids), coil_maps(maps, batch));
    forward_columns(ctx, grids, batch);
  }

  void adjoint_of_coils(const Context& ctx, Complex* grids, const Complex* maps, Complex* image, Index batch,
                        const kernels::CoilSum<Real>& sum) const override {
    adjoint_columns(ctx, grids, batch);
    run_sum<Real>(ctx, axes_[2], to_images(grids, image), coil_maps(maps, batch), sum);
  }

 private:
  int extent(std::size_t axis) const { return static_cast<int>(this->layout_.extent[axis]); }
  Window pixels(std::size_t axis) const { return {static_cast<int>(image_[axis] / 2), static_cast<int>(image_[axis])}; }
  Window points(std::size_t axis) const { return {0, extent(axis)}; }

  template <class T>
  LineSide<T, Real> image_lines(T* images) const {
    const auto [nz, ny, nx] = image_;
    const auto from_first = [](Index n) { return Window{0, static_cast<int>(n)}; };
    return {.data = images,
            .batch = nz * ny * nx,
            .plane = ny * nx,
            .row = nx,
            .x = pixels(2),
            .y = from_first(ny),
            .z = from_first(nz),
            .y_points = static_cast<int>(ny),
            .z_points = static_cast<int>(nz),
            .factor = {factor_[0].data(), factor_[1].data(), factor_[2].data()}};
  }

  // The rows that hold pixels.
  template <class T>
  LineSide<T, Real> grid_lines(T* grids) const {
    const auto& layout = this->layout_;
    return {.data = grids,
            .batch = layout.size(),
            .plane = layout.plane,
            .row = layout.row,
            .x = points(2),
            .y = pixels(1),
            .z = pixels(0),
            .y_points = extent(1),
            .z_points = extent(0),
            .factor = {}};
  }

  LinePass<Real> to_grids(const Complex* images, Complex* grids) const {
    const int padding = static_cast<int>(this->layout_.row - this->layout_.extent[2]);
    return {image_lines(images), grid_lines(grids), padding, false};
  }

  LinePass<Real> to_images(const Complex* grids, Complex* images) const {
    return {grid_lines(grids), image_lines(images), 0, true};
  }

  CoilMaps<Real> coil_maps(const Complex* maps, Index coils) const {
    return {maps, image_[0] * image_[1] * image_[2], static_cast<int>(coils)};
  }

  void forward_columns(const Context& ctx, Complex* grids, Index batch) const {
    y_columns(ctx, grids, batch, pixels(1), points(1), false);
    z_columns(ctx, grids, batch, pixels(0), points(0), false);
  }

  void adjoint_columns(const Context& ctx, Complex* grids, Index batch) const {
    z_columns(ctx, grids, batch, points(0), pixels(0), true);
    y_columns(ctx, grids, batch, points(1), pixels(1), true);
  }

  // Columns along y of the planes that hold pixels.
  void y_columns(const Context& ctx, Complex* grids, Index batch, Window in, Window out, bool inverse) const {
    const auto& layout = this->layout_;
    if (extent(1) == 1) return;
    run_columns<Real>(ctx, axes_[1],
                      {.in = {grids, layout.size(), layout.plane, layout.row, in},
                       .out = {grids, layout.size(), layout.plane, layout.row, out},
                       .plane = pixels(0),
                       .plane_points = extent(0),
                       .columns = static_cast<int>(layout.row),
                       .inverse = inverse},
                      batch);
  }

  // Columns along z of every row.
  void z_columns(const Context& ctx, Complex* grids, Index batch, Window in, Window out, bool inverse) const {
    const auto& layout = this->layout_;
    if (extent(0) == 1) return;
    run_columns<Real>(ctx, axes_[0],
                      {.in = {grids, layout.size(), layout.row, layout.plane, in},
                       .out = {grids, layout.size(), layout.row, layout.plane, out},
                       .plane = points(1),
                       .plane_points = extent(1),
                       .columns = static_cast<int>(layout.row),
                       .inverse = inverse},
                      batch);
  }

  LineAxes<Real> axes_;
  std::array<Index, 3> image_;
  std::array<Array<Real>, 3> factor_;
};

template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_padded_fft(const Context& ctx,
                                                                const kernels::PaddedFftGeometry<Real>& geometry) {
  return std::make_shared<const LinePaddedFft<Real>>(ctx, geometry);
}

}  // namespace

void register_padded_fft() {
  kernels::padded_layout.set(DeviceKind::cuda, [](const Context&, const std::array<Index, 3>& grid, Index real_bytes) {
    return real_bytes == sizeof(float) ? layout_of<float>(grid) : layout_of<double>(grid);
  });
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_padded_fft<Real>.set(DeviceKind::cuda, make_padded_fft<Real>);
  });
}

}  // namespace whorl::backend::cuda

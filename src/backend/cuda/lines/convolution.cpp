// The normal operator of a NUFFT as a convolution (Toeplitz embedding), on a GPU. Only the rows that hold pixels are
// stored, and in 3D the columns along y of the planes that hold pixels.
#include <algorithm>

#include "backend/cuda/lines/coil_line_passes.hpp"
#include "backend/cuda/lines/convolution_batch.hpp"
#include "backend/cuda/lines/padded_axes.hpp"
#include "kernels/padded_fft.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
class LineConvolution final : public kernels::Convolution<Real> {
 public:
  using Complex = std::complex<Real>;

  LineConvolution(const Context& ctx, const kernels::ConvolutionGeometry& geometry, const Real* spectrum)
      : axes_(ctx, geometry.grid),
        image_(geometry.image),
        grid_(geometry.grid),
        row_(padded_row<Real>(geometry.grid[2])),
        batch_bytes_(convolution_batch(ctx)),
        spectrum_(ctx, {geometry.grid[0], geometry.grid[1], row_}) {
    const auto bytes = [](Index reals) { return static_cast<std::size_t>(reals) * sizeof(Real); };
    cudaStream_t stream = stream_of(ctx);
    check(cudaMemsetAsync(spectrum_.data(), 0, bytes(spectrum_.size()), stream), "cudaMemsetAsync");
    check(cudaMemcpy2DAsync(spectrum_.data(), bytes(row_), spectrum, bytes(grid_[2]), bytes(grid_[2]),
                            static_cast<std::size_t>(grid_[0] * grid_[1]), cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpy2DAsync");
  }

  void apply(const Context& ctx, const Complex* in, Complex* out, Index batch) const override {
    for_each_batch(ctx, batch, [&](Complex* rows, Complex* slab, Index first, Index count) {
      const Index offset = first * image_size();
      run_lines<Real>(ctx, axes_[2], to_rows(in + offset, rows), count);
      convolve(ctx, rows, slab, count);
      run_lines<Real>(ctx, axes_[2], to_image(rows, out + offset), count);
    });
  }

  void apply_over_coils(const Context& ctx, const Complex* in, const Complex* maps, Complex* out, Index coils,
                        const kernels::CoilSum<Real>& sum) const override {
    for_each_batch(ctx, coils, [&](Complex* rows, Complex* slab, Index first, Index count) {
      const CoilMaps<Real> some{maps + first * image_size(), image_size(), static_cast<int>(count)};
      run_products<Real>(ctx, axes_[2], to_rows(in, rows), some);
      convolve(ctx, rows, slab, count);
      run_sum<Real>(ctx, axes_[2], to_image(rows, out), some, sum.after(first));
    });
  }

 private:
  template <class Work>
  void for_each_batch(const Context& ctx, Index batch, const Work& work) const {
    const Index bytes = (rows_size() + slab_size()) * static_cast<Index>(sizeof(Complex));
    const Index at_once = std::clamp<Index>(batch_bytes_ / bytes, 1, batch);
    Array<Complex> rows(ctx, {at_once, rows_size()});
    Array<Complex> slab(ctx, {at_once, slab_size()});
    for (Index first = 0; first < batch; first += at_once) {
      work(rows.data(), slab.data(), first, std::min(at_once, batch - first));
    }
  }

  bool is_3d() const { return grid_[0] > 1; }
  Index image_size() const { return image_[0] * image_[1] * image_[2]; }
  // Only the rows that hold pixels are stored, and in 3D the columns along y of the planes that hold pixels.
  Index rows_size() const { return image_[0] * image_[1] * row_; }
  Index slab_size() const { return is_3d() ? image_[0] * grid_[1] * row_ : 0; }
  Window pixels(std::size_t axis) const { return {0, static_cast<int>(image_[axis])}; }
  Window points(std::size_t axis) const { return {0, static_cast<int>(grid_[axis])}; }

  template <class T>
  LineSide<T, Real> lines(T* data, Index row, Window x) const {
    return {.data = data,
            .batch = image_[0] * image_[1] * row,
            .plane = image_[1] * row,
            .row = row,
            .x = x,
            .y = pixels(1),
            .z = pixels(0),
            .y_points = static_cast<int>(image_[1]),
            .z_points = static_cast<int>(image_[0]),
            .factor = {}};
  }

  template <class T>
  ColumnSide<T> row_columns(T* rows) const {
    return {rows, rows_size(), image_[1] * row_, row_, pixels(1)};
  }

  LinePass<Real> to_rows(const Complex* in, Complex* rows) const {
    const int padding = static_cast<int>(row_ - grid_[2]);
    return {lines(in, image_[2], pixels(2)), lines(rows, row_, points(2)), padding, false};
  }

  LinePass<Real> to_image(const Complex* rows, Complex* out) const {
    return {lines(rows, row_, points(2)), lines(out, image_[2], pixels(2)), 0, true};
  }

  void convolve(const Context& ctx, Complex* rows, Complex* slab, Index batch) const {
    if (is_3d()) return convolve_planes(ctx, rows, slab, batch);
    run_convolution<Real>(ctx, axes_[1],
                          {.in = row_columns<const Complex>(rows),
                           .out = row_columns(rows),
                           .planes = 1,
                           .columns = static_cast<int>(row_),
                           .spectrum = spectrum_.data(),
                           .spectrum_plane = 0,
                           .spectrum_element = row_},
                          batch);
  }

  void convolve_planes(const Context& ctx, Complex* rows, Complex* slab, Index batch) const {
    const Index plane = grid_[1] * row_;
    const auto y_columns = [&](const ColumnSide<const Complex>& from, const ColumnSide<Complex>& to, bool inverse) {
      run_columns<Real>(ctx, axes_[1],
                        {.in = from,
                         .out = to,
                         .plane = pixels(0),
                         .plane_points = static_cast<int>(image_[0]),
                         .columns = static_cast<int>(row_),
                         .inverse = inverse},
                        batch);
    };
    y_columns(row_columns<const Complex>(rows), {slab, slab_size(), plane, row_, points(1)}, false);
    run_convolution<Real>(ctx, axes_[0],
                          {.in = {slab, slab_size(), row_, plane, pixels(0)},
                           .out = {slab, slab_size(), row_, plane, pixels(0)},
                           .planes = static_cast<int>(grid_[1]),
                           .columns = static_cast<int>(row_),
                           .spectrum = spectrum_.data(),
                           .spectrum_plane = row_,
                           .spectrum_element = plane},
                          batch);
    y_columns({slab, slab_size(), plane, row_, points(1)}, row_columns(rows), true);
  }

  LineAxes<Real> axes_;
  std::array<Index, 3> image_;
  std::array<Index, 3> grid_;
  Index row_;
  Index batch_bytes_;
  Array<Real> spectrum_;
};

template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_convolution(const Context& ctx,
                                                                   const kernels::ConvolutionGeometry& geometry,
                                                                   const Real* spectrum) {
  return std::make_shared<const LineConvolution<Real>>(ctx, geometry, spectrum);
}

}  // namespace

void register_convolution() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_convolution<Real>.set(DeviceKind::cuda, make_convolution<Real>);
  });
}

}  // namespace whorl::backend::cuda

#include <cmath>

#include "studies/gridding_2d/image_passes.hpp"
#include "studies/gridding_2d/images.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// 1/sqrt(pixels) for the axis, and the inverse of the window's transform.
Array<float> factors(const Context& ctx, int extent, const std::function<double(double)>& transform) {
  const Index pixels = extent / 2;
  Array<float> values(ctx.host(), {pixels});
  for (Index i = 0; i < pixels; ++i) {
    const Index origin = pixels / 2;
    const double f = static_cast<double>(i - origin) / extent;
    values.data()[i] = static_cast<float>(1 / (std::sqrt(static_cast<double>(pixels)) * transform(f)));
  }
  return clone(ctx, values.ref());
}

}  // namespace

Imaging::Imaging(const Context& ctx, Extents grid, double b)
    : Imaging(ctx, grid, [b](double f) { return window_transform(b, f); }) {}

Imaging::Imaging(const Context& ctx, Extents grid, const std::function<double(double)>& transform)
    : ctx_(ctx),
      fft_(make_fft_plan<float>(ctx, {grid.y, grid.x})),
      joined_(ctx, {grid.y, grid.x}),
      rows_(factors(ctx, grid.y, transform)),
      columns_(factors(ctx, grid.x, transform)),
      image_(ctx, {grid.y / 2, grid.x / 2}) {}

void Imaging::run(ArrayRef<float> grid, Layout layout) {
  ArrayRef<std::complex<float>> complex(reinterpret_cast<std::complex<float>*>(grid.data()), joined_.shape(),
                                        grid.device());
  if (layout == Layout::split) {
    join_parts(ctx_, grid, joined_);
    complex = joined_;
  }
  fft_->execute(ctx_, FftDirection::inverse, complex.data(), 1);
  cut_image(ctx_, {complex, rows_, columns_, image_});
}

Array<std::complex<double>> exact_image(const Context& ctx, const Scan& scan) {
  const Context host = ctx.host();
  const Dft<double> dft(ctx, points_of(host, scan), {scan.grid.y / 2, scan.grid.x / 2}, 1);
  const Array<std::complex<double>> values = clone(ctx, values_of(host, scan));
  Array<std::complex<double>> image(ctx, dft.domain());
  dft.adjoint(ctx, values.ref().reshape(dft.range()), image);
  image.reshape({scan.grid.y / 2, scan.grid.x / 2});
  return to_host(ctx, image.ref());
}

}  // namespace whorl::studies::gridding_2d

// Plans: Everything that depends only on the trajectory is computed once and reused for coils, frames and iterations.
// The spectrum of F^H F (op/normal_spectrum.hpp), by NUFFT or by exact sums, is a separate object that Nufft and Dft
// can take. SavedNormals (op/saved_normals.hpp) stores it under the fingerprint of its trajectory, and
// io/normal_file.hpp keeps it in a file for later runs.
#include "whorl/op/normal_spectrum.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "kernels/padded_fft.hpp"
#include "kernels/toeplitz.hpp"
#include "op/encoding_shapes.hpp"
#include "op/lags.hpp"
#include "op/toeplitz.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {

namespace {

// The spectrum by the transform along the trajectory on the doubled field of view; `make` gives that transform.
template <class Real, class Make>
NormalSpectrum<Real> normal_from(const Context& ctx, const Shape& image, const Make& make) {
  using Complex = std::complex<Real>;
  const Shape grid = normal_grid(image);
  const std::array<Index, 3> extent = padded_to_3d(grid);
  // The transform and its grid have gone when the impulse is transformed: each array has the doubled grid.
  Array<Complex> impulse(ctx, grid.with_front(1));
  {
    const auto transform = make(grid);
    Array<Complex> ones(ctx, transform.range());
    fill<Complex>(ctx, ones, 1);
    transform.adjoint(ctx, ones, impulse);
  }
  const auto fft = kernels::make_padded_fft<Real>(ctx, {extent, extent, lags_with_counterpart<Real>(extent)});
  Array<Complex> transformed(ctx, {fft->layout().size()});
  fft->forward(ctx, impulse.data(), transformed.data(), 1);
  impulse = Array<Complex>();
  // The adjoint above has the scale 1/sqrt(points of the grid), F^H F has 1/pixels, the convolution's two transforms
  // multiply by the points of the grid.
  const auto points_of_grid = static_cast<double>(grid.size());
  const double scale = 1 / (std::sqrt(points_of_grid) * static_cast<double>(image.size()));
  Array<Real> spectrum(ctx, grid);
  kernels::real_spectrum<Real>(ctx, fft->layout(), scale, transformed.data(), spectrum.data());
  return {image, std::move(spectrum)};
}

}  // namespace

Shape normal_grid(const Shape& image) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(next_fast_even(2 * n - 1));
  return Shape(extents);
}

template <class Real>
NormalSpectrum<Real> nufft_normal(const Context& ctx, ArrayRef<const double> points, const Shape& image,
                                  const NufftOptions& options) {
  encoding_domain(ctx, "normal operator", points, image, 1);
  return normal_from<Real>(ctx, image, [&](const Shape& grid) {
    return Nufft<Real>(ctx, points, grid, 1, impulse_options<Real>(ctx, grid, points.extent(0), options));
  });
}

template <class Real>
NormalSpectrum<Real> exact_normal(const Context& ctx, ArrayRef<const double> points, const Shape& image) {
  encoding_domain(ctx, "normal operator", points, image, 1);
  return normal_from<Real>(ctx, image, [&](const Shape& grid) { return Dft<Real>(ctx, points, grid, 1); });
}

#define WHORL_INSTANTIATE(Real)                                                                    \
  template NormalSpectrum<Real> nufft_normal(const Context&, ArrayRef<const double>, const Shape&, \
                                             const NufftOptions&);                                 \
  template NormalSpectrum<Real> exact_normal<Real>(const Context&, ArrayRef<const double>, const Shape&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl

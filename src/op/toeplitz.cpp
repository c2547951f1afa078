#include "op/toeplitz.hpp"

#include <array>
#include <vector>

#include "kernels/nufft_cost.hpp"
#include "kernels/toeplitz.hpp"
#include "op/encoding_shapes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

// Options for the impulse's image: four times finer than asked for where the precision allows it, so that the normal
// operator is as accurate as a pair of transforms. The same on every device: whoever fixed the options of the transform
// means its normal operator too.
template <class Real>
NufftOptions impulse_options(const Context& ctx, const Shape& grid, Index samples, NufftOptions options) {
  options.normal = NormalMethod::pair;
  options.oversampling = 0;
  NufftOptions finer = options;
  finer.tolerance = options.tolerance / 4;
  try {
    return same_on_every_device<Real>(ctx, grid, samples, finer);
  } catch (const ValueError&) {
    return same_on_every_device<Real>(ctx, grid, samples, options);
  }
}

// Factors of the pixels of the impulse's image: 0 for the lag -m/2, which no pair of pixels has and whose counterpart
// m/2 is not there, else 1.
template <class Real>
std::array<std::vector<Real>, 3> lags_with_counterpart(const std::array<Index, 3>& extent) {
  std::array<std::vector<Real>, 3> factor;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    factor[axis].assign(static_cast<std::size_t>(extent[axis]), Real(1));
    if (extent[axis] > 1) factor[axis].front() = 0;
  }
  return factor;
}

}  // namespace

Shape toeplitz_grid(const Shape& image) {
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(next_fast_even(2 * n - 1));
  return Shape(extents);
}

template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context& ctx, ArrayRef<const double> points,
                                                                const Shape& image, NufftOptions options) {
  using Complex = std::complex<Real>;
  const Shape grid = toeplitz_grid(image);
  const std::array<Index, 3> extent = padded_to_3d(grid);
  const Index samples = points.extent(0);
  const auto fft = kernels::make_padded_fft<Real>(ctx, {extent, extent, lags_with_counterpart<Real>(extent)});
  Array<Complex> transformed(ctx, {fft->layout().size()});
  {
    Array<Complex> ones(ctx, {1, samples});
    fill<Complex>(ctx, ones, 1);
    const Nufft<Real> nufft(ctx, points, grid, 1, impulse_options<Real>(ctx, grid, samples, options));
    Array<Complex> impulse(ctx, grid.with_front(1));
    nufft.adjoint(ctx, ones, impulse);
    fft->forward(ctx, impulse.data(), transformed.data(), 1);
  }
  // The adjoint above has the scale 1/sqrt(points of the grid), F^H F has 1/pixels, the convolution's two transforms
  // multiply by the points of the grid.
  const auto points_of_grid = static_cast<double>(grid.size());
  const double scale = 1 / (std::sqrt(points_of_grid) * static_cast<double>(image.size()));
  Array<Real> spectrum(ctx, grid);
  kernels::real_spectrum<Real>(ctx, fft->layout(), scale, transformed.data(), spectrum.data());
  return kernels::make_convolution<Real>(ctx, {padded_to_3d(image), extent}, spectrum.data());
}

template <class Real>
NufftMemory toeplitz_memory(const Context& ctx, Index samples, const Shape& image, Index coils,
                            const NufftOptions& options) {
  const Shape grid = toeplitz_grid(image);
  const auto complex_bytes = static_cast<Index>(sizeof(std::complex<Real>));
  const NufftMemory nufft =
      nufft_memory<Real>(ctx, samples, grid, 1, impulse_options<Real>(ctx, grid, samples, options));
  return {.plan = grid.size() * static_cast<Index>(sizeof(Real)),
          .normal = kernels::convolution_memory(ctx, {padded_to_3d(image), padded_to_3d(grid)},
                                                static_cast<Index>(sizeof(Real)), coils),
          .planning = 2 * grid.size() * complex_bytes + samples * complex_bytes + nufft.plan + nufft.work};
}

#define WHORL_INSTANTIATE(Real)                                                                                    \
  template std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context&, ArrayRef<const double>, \
                                                                           const Shape&, NufftOptions);            \
  template NufftMemory toeplitz_memory<Real>(const Context&, Index, const Shape&, Index, const NufftOptions&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl

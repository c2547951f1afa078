#include "op/toeplitz.hpp"

#include <fmt/format.h>

#include "kernels/nufft_cost.hpp"
#include "op/encoding_shapes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

template <class Real>
std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context& ctx, const char* operation,
                                                                const Shape& image,
                                                                const NormalSpectrum<Real>& spectrum) {
  const Shape grid = normal_grid(image);
  if (spectrum.image != image || spectrum.values.shape() != grid) {
    throw ShapeError(fmt::format(
        "{}: a normal operator for the image {} with a spectrum of {}; expected the image {} and a spectrum of {}",
        operation, to_string(spectrum.image), to_string(spectrum.values.shape()), to_string(image), to_string(grid)));
  }
  const OnDevice<Real> here(ctx, spectrum.values);
  return kernels::make_convolution<Real>(ctx, {padded_to_3d(image), padded_to_3d(grid)}, here.get().data());
}

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

#define WHORL_INSTANTIATE(Real)                                                                                       \
  template std::shared_ptr<const kernels::Convolution<Real>> make_toeplitz(const Context&, const char*, const Shape&, \
                                                                           const NormalSpectrum<Real>&);              \
  template NufftOptions impulse_options<Real>(const Context&, const Shape&, Index, NufftOptions)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl

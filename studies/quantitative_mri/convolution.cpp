#include "studies/quantitative_mri/convolution.hpp"

#include <memory>
#include <vector>

#include "kernels/padded_fft.hpp"
#include "kernels/toeplitz.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::studies::quantitative_mri {

Index impulse_extent(Index n) { return next_fast_even(2 * n - 1); }

template <class Real>
NormalFunction<Real> convolution_with(const Context& ctx, ArrayRef<const std::complex<Real>> impulse, Index size) {
  using Complex = std::complex<Real>;
  const Index lags = impulse.extent(0);
  kernels::PaddedFftGeometry<Real> geometry{{lags, lags, lags}, {lags, lags, lags}, {}};
  for (std::vector<Real>& factor : geometry.factor) {
    // The lag -n has no counterpart n, and no pair of voxels is so far apart.
    factor.assign(static_cast<std::size_t>(lags), Real(1));
    factor.front() = 0;
  }
  const auto fft = kernels::make_padded_fft<Real>(ctx, geometry);
  Array<Complex> transformed(ctx, {fft->layout().size()});
  fft->forward(ctx, impulse.data(), transformed.data(), 1);
  Array<Real> spectrum(ctx, impulse.shape());
  // 1/voxels of F^H F, and what the two transforms of the convolution multiply by.
  const double scale = 1 / (static_cast<double>(impulse.size()) * static_cast<double>(size * size * size));
  kernels::real_spectrum<Real>(ctx, fft->layout(), scale, transformed.data(), spectrum.data());
  const std::shared_ptr<const kernels::Convolution<Real>> convolution =
      kernels::make_convolution<Real>(ctx, {{size, size, size}, {lags, lags, lags}}, spectrum.data());
  return [convolution](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    convolution->apply(c, x.data(), z.data(), 1);
  };
}

template NormalFunction<float> convolution_with<float>(const Context&, ArrayRef<const std::complex<float>>, Index);
template NormalFunction<double> convolution_with<double>(const Context&, ArrayRef<const std::complex<double>>, Index);

}  // namespace whorl::studies::quantitative_mri

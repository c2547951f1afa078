// Grids of several components, mixed at each point, on a GPU.
#include <type_traits>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/components.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real, class Spectrum>
__device__ Complex2<Real> spectrum_at(const Spectrum* spectra, Index i) {
  if constexpr (std::is_same_v<Spectrum, Real>) {
    return {spectra[i], Real(0)};
  } else {
    return spectra[i];
  }
}

// A thread mixes one element. `most` components lie in registers, as the loops over them are unrolled.
template <int most, class Real, class Spectrum>
__global__ void mix_components(kernels::MixedGrids what, const Spectrum* __restrict__ spectra, Complex2<Real>* grids) {
  const Index elements = what.batch * what.points;
  const Index whole = what.batch / what.together * what.together * what.points;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < elements; i += stride) {
    Index at = i < whole ? i % (what.together * what.points) / what.together : (i - whole) % what.points;
    Complex2<Real> in[most];
    Complex2<Real> out[most];
#pragma unroll
    for (int k = 0; k < most; ++k) {
      in[k] = k < what.components ? grids[k * elements + i] : Complex2<Real>{0, 0};
      out[k] = {0, 0};
    }
#pragma unroll
    for (int k = 0; k < most; ++k) {
#pragma unroll
      for (int l = k; l < most; ++l) {
        if (l >= what.components) continue;
        const Complex2<Real> g = spectrum_at<Real>(spectra, at);
        at += what.points;
        out[k] = multiply_add(g, in[l], out[k]);
        if (l > k) out[l] = multiply_add(Complex2<Real>{g.x, -g.y}, in[k], out[l]);
      }
    }
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (k < what.components) grids[k * elements + i] = out[k];
    }
  }
}

template <class Real, class Spectrum>
void mix(const Context& ctx, const kernels::MixedGrids& what, const Spectrum* spectra, Complex2<Real>* grids) {
  const Index elements = what.batch * what.points;
  const auto start = [&](auto kernel) { launch_loop(ctx, "subspace", kernel, elements, what, spectra, grids); };
  if (what.components <= 4) {
    start(mix_components<4, Real, Spectrum>);
  } else if (what.components <= 8) {
    start(mix_components<8, Real, Spectrum>);
  } else if (what.components <= 12) {
    start(mix_components<12, Real, Spectrum>);
  } else if (what.components <= 16) {
    start(mix_components<16, Real, Spectrum>);
  } else {
    start(mix_components<static_cast<int>(kernels::most_components), Real, Spectrum>);
  }
}

template <class Real>
void mix_by_real(const Context& ctx, const kernels::MixedGrids& what, const Real* spectra, std::complex<Real>* grids) {
  mix<Real>(ctx, what, spectra, as_device(grids));
}

template <class Real>
void mix_by_complex(const Context& ctx, const kernels::MixedGrids& what, const std::complex<Real>* spectra,
                    std::complex<Real>* grids) {
  mix<Real>(ctx, what, as_device(spectra), as_device(grids));
}

}  // namespace

void register_components() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::mix_by_real_spectra<Real>.set(DeviceKind::cuda, mix_by_real<Real>);
    kernels::mix_by_complex_spectra<Real>.set(DeviceKind::cuda, mix_by_complex<Real>);
  });
}

}  // namespace whorl::backend::cuda

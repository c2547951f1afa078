// Grids of several components, mixed at each point, on a CPU.
#include "kernels/components.hpp"

#include <array>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// The point of element i of a batch of grids.
inline Index point_of(const kernels::MixedGrids& what, Index i) {
  const Index whole = what.batch / what.together * what.together * what.points;
  return i < whole ? i % (what.together * what.points) / what.together : (i - whole) % what.points;
}

template <class Real, class Spectrum>
void mix(const Context& ctx, const kernels::MixedGrids& what, const Spectrum* spectra, std::complex<Real>* grids) {
  const Index count = what.components;
  const Index elements = what.batch * what.points;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, 4 * elements * count * count))
  for (Index i = 0; i < elements; ++i) {
    std::array<std::complex<Real>, kernels::most_components> in;
    std::array<std::complex<Real>, kernels::most_components> out;
    for (Index k = 0; k < count; ++k) {
      in[static_cast<std::size_t>(k)] = grids[k * elements + i];
      out[static_cast<std::size_t>(k)] = 0;
    }
    const Spectrum* at = spectra + point_of(what, i);
    const auto multiply = [](Real a_real, Real a_imag, const std::complex<Real>& b) {
      return std::complex<Real>(a_real * b.real() - a_imag * b.imag(), a_real * b.imag() + a_imag * b.real());
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      for (std::size_t l = k; l < static_cast<std::size_t>(count); ++l, at += what.points) {
        Real real = 0;
        Real imag = 0;
        if constexpr (std::is_same_v<Spectrum, Real>) {
          real = *at;
        } else {
          real = at->real();
          imag = at->imag();
        }
        out[k] += multiply(real, imag, in[l]);
        if (l > k) out[l] += multiply(real, -imag, in[k]);
      }
    }
    for (Index k = 0; k < count; ++k) grids[k * elements + i] = out[static_cast<std::size_t>(k)];
  }
}

}  // namespace

void register_components() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::mix_by_real_spectra<Real>.set(DeviceKind::cpu, mix<Real, Real>);
    kernels::mix_by_complex_spectra<Real>.set(DeviceKind::cpu, mix<Real, std::complex<Real>>);
  });
}

}  // namespace whorl::backend::cpu

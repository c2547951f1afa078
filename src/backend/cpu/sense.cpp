#include "backend/cpu/sense.hpp"

#include <algorithm>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index block = 2048;  // pixels whose sum over coils stays in cache

}  // namespace

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads_for(ctx, coils* pixels))
  for (Index c = 0; c < coils; ++c) {
    for (Index first = 0; first < pixels; first += block) {
      const std::complex<Real>* map = maps + c * pixels;
      std::complex<Real>* out = y + c * pixels;
      for (Index r = first; r < std::min(pixels, first + block); ++r) {
        out[r] = {map[r].real() * x[r].real() - map[r].imag() * x[r].imag(),
                  map[r].real() * x[r].imag() + map[r].imag() * x[r].real()};
      }
    }
  }
}

template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, coils* pixels))
  for (Index first = 0; first < pixels; first += block) {
    const Index last = std::min(pixels, first + block);
    std::fill(x + first, x + last, std::complex<Real>(0));
    for (Index c = 0; c < coils; ++c) {
      const std::complex<Real>* map = maps + c * pixels;
      const std::complex<Real>* in = y + c * pixels;
      for (Index r = first; r < last; ++r) {
        x[r] += std::complex<Real>(map[r].real() * in[r].real() + map[r].imag() * in[r].imag(),
                                   map[r].real() * in[r].imag() - map[r].imag() * in[r].real());
      }
    }
  }
}

#define WHORL_INSTANTIATE(Real)                                                                                   \
  template void sense_forward(const Context&, Index, Index, const std::complex<Real>*, const std::complex<Real>*, \
                              std::complex<Real>*);                                                               \
  template void sense_adjoint(const Context&, Index, Index, const std::complex<Real>*, const std::complex<Real>*, \
                              std::complex<Real>*)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu

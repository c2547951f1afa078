// Products with coil sensitivities on a CPU. Which code takes which input, and why:
//
//   images of coils in memory         sense.cpp              for any encoding
//   between an image and the grids    lines/coil_lines.hpp   multiplies and sums within the first and last pass of the
//   of a NUFFT, or of its normal                             transform, so that no coil image is stored
//   operator
#include "kernels/sense.hpp"

#include <algorithm>

#include "backend/cpu/coils/coil_products.hpp"
#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index pixels_at_once = 2048;  // pixels whose sum over coils stays in cache

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads_for(ctx, coils* pixels))
  for (Index c = 0; c < coils; ++c) {
    for (Index first = 0; first < pixels; first += pixels_at_once) {
      multiply_line(std::min(pixels - first, pixels_at_once), maps + c * pixels + first, x + first,
                    y + c * pixels + first);
    }
  }
}

template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x, bool add) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, coils* pixels))
  for (Index first = 0; first < pixels; first += pixels_at_once) {
    const Index last = std::min(pixels, first + pixels_at_once);
    if (!add) std::fill(x + first, x + last, std::complex<Real>(0));
    for (Index c = 0; c < coils; ++c) {
      add_conjugate_products(last - first, maps + c * pixels + first, y + c * pixels + first, x + first);
    }
  }
}

}  // namespace

void register_sense() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::sense_forward<Real>.set(DeviceKind::cpu, sense_forward<Real>);
    kernels::sense_adjoint<Real>.set(DeviceKind::cpu, sense_adjoint<Real>);
  });
}

}  // namespace whorl::backend::cpu

// What a circulant preconditioner takes beside FFTs, on a CPU.
#include "kernels/circulant.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void magnitudes(const Context& ctx, Index count, const std::complex<Real>* v, Real* magnitude) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) magnitude[i] = std::abs(v[i]);
}

template <class Real>
void circulant_factors(const Context& ctx, const kernels::CirculantSpectrum<Real>& of, double scale, Real* factor) {
  const auto rho = static_cast<Real>(of.rho);
  const auto least = static_cast<Real>(of.least);
  const auto unit = static_cast<Real>(scale);
#pragma omp parallel for simd schedule(static) num_threads(threads_for(ctx, of.count))
  for (Index i = 0; i < of.count; ++i) {
    factor[i] = unit / std::max(of.h[i] + rho * of.w[i], least);
  }
}

template <class Real>
void axpby_outside(const Context& ctx, Index count, const Real* inside, double a, const std::complex<Real>* x, double b,
                   std::complex<Real>* y) {
  const auto of_x = static_cast<Real>(a);
  const auto of_y = static_cast<Real>(b);
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) {
    if (inside[i] == 0) y[i] = of_x * x[i] + of_y * y[i];
  }
}

}  // namespace

void register_circulant() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::magnitudes<Real>.set(DeviceKind::cpu, magnitudes<Real>);
    kernels::circulant_factors<Real>.set(DeviceKind::cpu, circulant_factors<Real>);
    kernels::axpby_outside<Real>.set(DeviceKind::cpu, axpby_outside<Real>);
  });
}

}  // namespace whorl::backend::cpu

// Products with complex factors on a CPU.
#include "kernels/modulate.hpp"

#include <algorithm>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index run_at_once = 2048;  // elements of a run that a thread takes at a time

template <bool add, class Real>
void multiply(const Context& ctx, Real sign, Index batch, Index count, const std::complex<Real>* f,
              const std::complex<Real>* x, std::complex<Real>* y) {
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads_for(ctx, batch* count))
  for (Index b = 0; b < batch; ++b) {
    for (Index first = 0; first < count; first += run_at_once) {
      const std::complex<Real>* in = x + b * count;
      std::complex<Real>* out = y + b * count;
      for (Index i = first; i < std::min(count, first + run_at_once); ++i) {
        const Real imag = sign * f[i].imag();
        const std::complex<Real> product(f[i].real() * in[i].real() - imag * in[i].imag(),
                                         f[i].real() * in[i].imag() + imag * in[i].real());
        out[i] = add ? out[i] + product : product;
      }
    }
  }
}

template <class Real>
Real sign_of(kernels::Factor factor) {
  return static_cast<Real>(factor == kernels::Factor::plain ? 1 : -1);
}

template <class Real>
void modulate(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
              const std::complex<Real>* x, std::complex<Real>* y) {
  multiply<false>(ctx, sign_of<Real>(factor), batch, count, f, x, y);
}

template <class Real>
void modulate_add(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
                  const std::complex<Real>* x, std::complex<Real>* y) {
  multiply<true>(ctx, sign_of<Real>(factor), batch, count, f, x, y);
}

}  // namespace

void register_modulate() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::modulate<Real>.set(DeviceKind::cpu, modulate<Real>);
    kernels::modulate_add<Real>.set(DeviceKind::cpu, modulate_add<Real>);
  });
}

}  // namespace whorl::backend::cpu

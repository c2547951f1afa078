// Sums of products over a batch, element by element, on a CPU.
#include "kernels/add_products.hpp"

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void add_products(const Context& ctx, Index batch, Index count, const std::complex<Real>* x,
                  const std::complex<Real>* y, double* sum) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, batch* count))
  for (Index i = 0; i < count; ++i) {
    double total = sum[i];
    for (Index b = 0; b < batch; ++b) {
      const std::complex<Real> p = x[b * count + i];
      const std::complex<Real> q = y[b * count + i];
      total += double{p.real()} * q.real() + double{p.imag()} * q.imag();
    }
    sum[i] = total;
  }
}

}  // namespace

void register_add_products() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::add_products<Real>.set(DeviceKind::cpu, add_products<Real>);
  });
}

}  // namespace whorl::backend::cpu

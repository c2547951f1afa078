// Sums and updates of long vectors on a CPU. Sums are in double and in a fixed order.
#include "kernels/blas1.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// Sums run over blocks of fixed size that are added in order: the result does not depend on the number of threads.
constexpr Index block = 4096;

template <class Real>
std::complex<double> dot(const Context& ctx, Index count, const std::complex<Real>* x, const std::complex<Real>* y) {
  const Index blocks = divide_up(count, block);
  std::vector<std::complex<double>> partial(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index b = 0; b < blocks; ++b) {
    double real = 0;
    double imag = 0;
    for (Index i = b * block; i < std::min(count, (b + 1) * block); ++i) {
      const double xr = x[i].real();
      const double xi = x[i].imag();
      const double yr = y[i].real();
      const double yi = y[i].imag();
      real += xr * yr + xi * yi;
      imag += xr * yi - xi * yr;
    }
    partial[static_cast<std::size_t>(b)] = {real, imag};
  }
  std::complex<double> sum = 0;
  for (const auto& value : partial) sum += value;
  return sum;
}

// Real factors, as solvers have them: vectors of the processor take the parts one after another.
template <class Real>
void axpby_of_reals(const Context& ctx, Index count, Real a, const Real* x, Real b, Real* y, bool overwrite) {
  const int threads = threads_for(ctx, count / 2);
  if (overwrite) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (Index i = 0; i < count; ++i) y[i] = a * x[i];
    return;
  }
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (Index i = 0; i < count; ++i) y[i] = a * x[i] + b * y[i];
}

template <class Real>
const Real* parts_of(const std::complex<Real>* x) {
  return reinterpret_cast<const Real*>(x);
}
template <class Real>
Real* parts_of(std::complex<Real>* y) {
  return reinterpret_cast<Real*>(y);
}

template <class Real>
void axpby(const Context& ctx, Index count, std::complex<double> a, const std::complex<Real>* x, std::complex<double> b,
           std::complex<Real>* y) {
  const auto ar = static_cast<Real>(a.real());
  const auto ai = static_cast<Real>(a.imag());
  const auto br = static_cast<Real>(b.real());
  const auto bi = static_cast<Real>(b.imag());
  const bool overwrite = b == 0.0;  // y may then be uninitialized memory
  if (ai == 0 && bi == 0) return axpby_of_reals(ctx, 2 * count, ar, parts_of(x), br, parts_of(y), overwrite);
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) {
    const Real xr = x[i].real();
    const Real xi = x[i].imag();
    const Real yr = overwrite ? Real(0) : y[i].real();
    const Real yi = overwrite ? Real(0) : y[i].imag();
    y[i] = {ar * xr - ai * xi + br * yr - bi * yi, ar * xi + ai * xr + br * yi + bi * yr};
  }
}

template <class Real>
void multiply_real(const Context& ctx, Index count, const Real* weights, const std::complex<Real>* x,
                   std::complex<Real>* y) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) y[i] = weights[i] * x[i];
}

template <class Real>
void to_complex(const Context& ctx, Index count, const Real* x, std::complex<Real>* y) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) y[i] = x[i];
}

}  // namespace

void register_blas1() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::dot<Real>.set(DeviceKind::cpu, dot<Real>);
    kernels::axpby<Real>.set(DeviceKind::cpu, axpby<Real>);
    kernels::multiply_real<Real>.set(DeviceKind::cpu, multiply_real<Real>);
    kernels::to_complex<Real>.set(DeviceKind::cpu, to_complex<Real>);
  });
}

}  // namespace whorl::backend::cpu

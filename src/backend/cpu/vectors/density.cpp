// Density weights on a CPU.
#include "kernels/density.hpp"

#include <cmath>
#include <limits>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
kernels::PipeMenonSums pipe_menon_step(const Context&, Index samples, const kernels::PipeMenonStep& step,
                                       const std::complex<Real>* convolved, const Real* areas, Real* previous,
                                       std::complex<Real>* weights) {
  kernels::PipeMenonSums sums;
  for (Index j = 0; j < samples; ++j) {
    const double before = weights[j].real();
    const double density = convolved[j].real();
    const double pulled = step.pull > 0 ? step.pull * static_cast<double>(areas[j]) : 0;
    const double after = (before + pulled) / (density + step.pull);
    const double deviation = density - 1 + step.pull - pulled / before;
    sums.total += before;
    sums.deviation += before * deviation * deviation;
    const double ratio = after / static_cast<double>(previous[j]);
    weights[j] = static_cast<Real>(step.momentum > 0 ? after * std::pow(ratio, step.momentum) : after);
    previous[j] = static_cast<Real>(after);
  }
  return sums;
}

template <class Real>
double sum_of_weights(const Context&, Index count, const Real* weights) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) return std::numeric_limits<double>::quiet_NaN();
    sum += static_cast<double>(weights[i]);
  }
  return sum;
}

template <class Real>
void scale(const Context& ctx, Index count, double factor, const Real* x, Real* y) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) y[i] = static_cast<Real>(factor * static_cast<double>(x[i]));
}

}  // namespace

void register_density() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::pipe_menon_step<Real>.set(DeviceKind::cpu, pipe_menon_step<Real>);
    kernels::sum_of_weights<Real>.set(DeviceKind::cpu, sum_of_weights<Real>);
    kernels::scale<Real>.set(DeviceKind::cpu, scale<Real>);
  });
}

}  // namespace whorl::backend::cpu

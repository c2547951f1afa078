// Core's kernels for the CPU, in one list.
#include <functional>

#include "backend/cpu/core/add_products.hpp"
#include "backend/cpu/core/blas1.hpp"
#include "backend/cpu/core/fft.hpp"
#include "backend/cpu/core/modulate.hpp"
#include "backend/cpu/core/rotate.hpp"
#include "backend/cpu/runtime.hpp"
#include "kernels/add_products.hpp"
#include "kernels/blas1.hpp"
#include "kernels/fft.hpp"
#include "kernels/modulate.hpp"
#include "kernels/repeat.hpp"
#include "kernels/rotate.hpp"

namespace whorl::backend::cpu {

namespace {

// Nothing is gained by recording it.
std::function<void()> make_repeatable(const Context&, std::function<void()> work) { return work; }

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cpu;
  kernels::make_fft_plan<Real>.set(device, make_fft_plan<Real>);
  kernels::dot<Real>.set(device, dot<Real>);
  kernels::axpby<Real>.set(device, axpby<Real>);
  kernels::multiply_real<Real>.set(device, multiply_real<Real>);
  kernels::to_complex<Real>.set(device, to_complex<Real>);
  kernels::add_products<Real>.set(device, add_products<Real>);
  kernels::rotate<Real>.set(device, rotate<Real>);
  kernels::modulate<Real>.set(device, modulate<Real>);
  kernels::modulate_add<Real>.set(device, modulate_add<Real>);
}

}  // namespace

void register_core_kernels() {
  register_runtime();
  kernels::make_repeatable.set(DeviceKind::cpu, make_repeatable);
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cpu

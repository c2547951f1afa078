// The kernels of the CPU backend, in one list.
#include "backend/cpu/blas1.hpp"
#include "backend/cpu/fft.hpp"
#include "kernels/blas1.hpp"
#include "kernels/fft.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cpu;
  kernels::make_fft_plan<Real>.set(device, make_fft_plan<Real>);
  kernels::dot<Real>.set(device, dot<Real>);
  kernels::axpby<Real>.set(device, axpby<Real>);
  kernels::multiply_real<Real>.set(device, multiply_real<Real>);
}

}  // namespace

void register_kernels() {
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cpu

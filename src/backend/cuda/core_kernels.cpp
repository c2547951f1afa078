// Core's kernels for NVIDIA GPUs, in one list.
#include "backend/cuda/core/add_products.hpp"
#include "backend/cuda/core/blas1.hpp"
#include "backend/cuda/core/fft.hpp"
#include "backend/cuda/core/modulate.hpp"
#include "backend/cuda/core/repeat.hpp"
#include "backend/cuda/core/rotate.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/add_products.hpp"
#include "kernels/blas1.hpp"
#include "kernels/device_runtime.hpp"
#include "kernels/fft.hpp"
#include "kernels/modulate.hpp"
#include "kernels/repeat.hpp"
#include "kernels/rotate.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cuda;
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
  kernels::set_runtime(DeviceKind::cuda, runtime());
  kernels::copy_bytes.set(DeviceKind::cuda, copy_bytes);
  kernels::fill_pattern.set(DeviceKind::cuda, fill_pattern);
  kernels::make_repeatable.set(DeviceKind::cuda, make_repeatable);
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cuda

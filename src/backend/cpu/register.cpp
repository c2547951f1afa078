// The kernels of the CPU backend, in one list.
#include "backend/cpu/blas1.hpp"
#include "backend/cpu/conjugate_gradient.hpp"
#include "backend/cpu/dft.hpp"
#include "backend/cpu/fft.hpp"
#include "backend/cpu/gridding.hpp"
#include "backend/cpu/nufft_cost.hpp"
#include "backend/cpu/padded_fft.hpp"
#include "backend/cpu/position_dft.hpp"
#include "backend/cpu/runtime.hpp"
#include "backend/cpu/sense.hpp"
#include "backend/cpu/toeplitz.hpp"
#include "kernels/blas1.hpp"
#include "kernels/conjugate_gradient.hpp"
#include "kernels/device_runtime.hpp"
#include "kernels/dft.hpp"
#include "kernels/fft.hpp"
#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"
#include "kernels/padded_fft.hpp"
#include "kernels/position_dft.hpp"
#include "kernels/sense.hpp"
#include "kernels/toeplitz.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cpu;
  kernels::make_fft_plan<Real>.set(device, make_fft_plan<Real>);
  kernels::dot<Real>.set(device, dot<Real>);
  kernels::axpby<Real>.set(device, axpby<Real>);
  kernels::multiply_real<Real>.set(device, multiply_real<Real>);
  kernels::to_complex<Real>.set(device, to_complex<Real>);
  kernels::make_conjugate_gradient_steps<Real>.set(device, make_conjugate_gradient_steps<Real>);
  kernels::make_gridding_plan<Real>.set(device, make_gridding_plan<Real>);
  kernels::make_padded_fft<Real>.set(device, make_padded_fft<Real>);
  kernels::make_convolution<Real>.set(device, make_convolution<Real>);
  kernels::dft_forward<Real>.set(device, dft_forward<Real>);
  kernels::dft_adjoint<Real>.set(device, dft_adjoint<Real>);
  kernels::make_position_dft_plan<Real>.set(device, make_position_dft_plan<Real>);
  kernels::center_to_corner<Real>.set(device, center_to_corner<Real>);
  kernels::real_spectrum<Real>.set(device, real_spectrum<Real>);
  kernels::sense_forward<Real>.set(device, sense_forward<Real>);
  kernels::sense_adjoint<Real>.set(device, sense_adjoint<Real>);
}

}  // namespace

void register_kernels() {
  kernels::set_runtime(DeviceKind::cpu, runtime());
  kernels::copy_bytes.set(DeviceKind::cpu, copy_bytes);
  kernels::fill_pattern.set(DeviceKind::cpu, fill_pattern);
  kernels::make_repeatable.set(DeviceKind::cpu, make_repeatable);
  kernels::nufft_cost.set(DeviceKind::cpu, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cpu, convolution_cost);
  kernels::most_coils_at_once.set(DeviceKind::cpu, most_coils_at_once);
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cpu

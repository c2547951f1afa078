// The kernels of the CPU backend, in one list.
#include "backend/cpu/blas1.hpp"
#include "backend/cpu/dft.hpp"
#include "backend/cpu/fft.hpp"
#include "backend/cpu/gridding.hpp"
#include "backend/cpu/padded_fft.hpp"
#include "backend/cpu/position_dft.hpp"
#include "backend/cpu/sense.hpp"
#include "kernels/blas1.hpp"
#include "kernels/dft.hpp"
#include "kernels/fft.hpp"
#include "kernels/gridding.hpp"
#include "kernels/padded_fft.hpp"
#include "kernels/position_dft.hpp"
#include "kernels/sense.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cpu;
  kernels::make_fft_plan<Real>.set(device, make_fft_plan<Real>);
  kernels::dot<Real>.set(device, dot<Real>);
  kernels::axpby<Real>.set(device, axpby<Real>);
  kernels::multiply_real<Real>.set(device, multiply_real<Real>);
  kernels::make_gridding_plan<Real>.set(device, make_gridding_plan<Real>);
  kernels::make_padded_fft<Real>.set(device, make_padded_fft<Real>);
  kernels::make_convolution<Real>.set(device, make_convolution<Real>);
  kernels::dft_forward<Real>.set(device, dft_forward<Real>);
  kernels::dft_adjoint<Real>.set(device, dft_adjoint<Real>);
  kernels::make_position_dft_plan<Real>.set(device, make_position_dft_plan<Real>);
  kernels::sense_forward<Real>.set(device, sense_forward<Real>);
  kernels::sense_adjoint<Real>.set(device, sense_adjoint<Real>);
}

}  // namespace

void register_kernels() {
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cpu

// The kernels of the CUDA backend, in one list.
#include "backend/cuda/blas1.hpp"
#include "backend/cuda/conjugate_gradient.hpp"
#include "backend/cuda/dft.hpp"
#include "backend/cuda/fft.hpp"
#include "backend/cuda/gridding.hpp"
#include "backend/cuda/nufft_cost.hpp"
#include "backend/cuda/padded_fft.hpp"
#include "backend/cuda/position_dft.hpp"
#include "backend/cuda/repeat.hpp"
#include "backend/cuda/runtime.hpp"
#include "backend/cuda/sense.hpp"
#include "backend/cuda/toeplitz.hpp"
#include "backend/cuda/trajectory.hpp"
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
#include "kernels/trajectory.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
void register_precision() {
  constexpr auto device = DeviceKind::cuda;
  kernels::dot<Real>.set(device, dot<Real>);
  kernels::axpby<Real>.set(device, axpby<Real>);
  kernels::multiply_real<Real>.set(device, multiply_real<Real>);
  kernels::to_complex<Real>.set(device, to_complex<Real>);
  kernels::make_conjugate_gradient_steps<Real>.set(device, make_conjugate_gradient_steps<Real>);
  kernels::make_gridding_plan<Real>.set(device, make_gridding_plan<Real>);
  kernels::center_to_corner<Real>.set(device, center_to_corner<Real>);
  kernels::real_spectrum<Real>.set(device, real_spectrum<Real>);
  kernels::dft_forward<Real>.set(device, dft_forward<Real>);
  kernels::dft_adjoint<Real>.set(device, dft_adjoint<Real>);
  kernels::make_position_dft_plan<Real>.set(device, make_position_dft_plan<Real>);
  kernels::make_fft_plan<Real>.set(device, make_fft_plan<Real>);
  kernels::make_padded_fft<Real>.set(device, make_padded_fft<Real>);
  kernels::make_convolution<Real>.set(device, make_convolution<Real>);
  kernels::sense_forward<Real>.set(device, sense_forward<Real>);
  kernels::sense_adjoint<Real>.set(device, sense_adjoint<Real>);
}

}  // namespace

void register_kernels() {
  kernels::set_runtime(DeviceKind::cuda, runtime());
  kernels::copy_bytes.set(DeviceKind::cuda, copy_bytes);
  kernels::fill_pattern.set(DeviceKind::cuda, fill_pattern);
  kernels::make_repeatable.set(DeviceKind::cuda, make_repeatable);
  kernels::all_at_most.set(DeviceKind::cuda, all_at_most);
  kernels::nufft_cost.set(DeviceKind::cuda, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cuda, convolution_cost);
  kernels::most_coils_at_once.set(DeviceKind::cuda, most_coils_at_once);
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cuda

// The reconstruction's kernels for NVIDIA GPUs, in one list.
#include "backend/cuda/coils/channels.hpp"
#include "backend/cuda/coils/coil_maps.hpp"
#include "backend/cuda/coils/combine.hpp"
#include "backend/cuda/coils/sense.hpp"
#include "backend/cuda/exact/dft.hpp"
#include "backend/cuda/exact/position_dft.hpp"
#include "backend/cuda/lines/padded_fft.hpp"
#include "backend/cuda/lines/toeplitz.hpp"
#include "backend/cuda/nufft/gridding.hpp"
#include "backend/cuda/nufft/nufft_cost.hpp"
#include "backend/cuda/vectors/conjugate_gradient.hpp"
#include "backend/cuda/vectors/density.hpp"
#include "backend/cuda/vectors/differences.hpp"
#include "backend/cuda/vectors/trajectory.hpp"
#include "kernels/channels.hpp"
#include "kernels/coil_maps.hpp"
#include "kernels/combine.hpp"
#include "kernels/conjugate_gradient.hpp"
#include "kernels/density.hpp"
#include "kernels/dft.hpp"
#include "kernels/differences.hpp"
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
  kernels::make_conjugate_gradient_steps<Real>.set(device, make_conjugate_gradient_steps<Real>);
  kernels::make_gridding_plan<Real>.set(device, make_gridding_plan<Real>);
  kernels::real_spectrum<Real>.set(device, real_spectrum<Real>);
  kernels::dft_forward<Real>.set(device, dft_forward<Real>);
  kernels::dft_adjoint<Real>.set(device, dft_adjoint<Real>);
  kernels::make_position_dft_plan<Real>.set(device, make_position_dft_plan<Real>);
  kernels::make_padded_fft<Real>.set(device, make_padded_fft<Real>);
  kernels::make_convolution<Real>.set(device, make_convolution<Real>);
  kernels::first_not_finite<Real>.set(device, first_not_finite<Real>);
  kernels::gram_of_channels<Real>.set(device, gram_of_channels<Real>);
  kernels::apply_channel_matrix<Real>.set(device, apply_channel_matrix<Real>);
  kernels::sample_energies<Real>.set(device, sample_energies<Real>);
  kernels::take_samples<Real>.set(device, take_samples<Real>);
  kernels::root_sum_of_squares<Real>.set(device, root_sum_of_squares<Real>);
  kernels::matched_combination<Real>.set(device, matched_combination<Real>);
  kernels::unit_maps<Real>.set(device, unit_maps<Real>);
  kernels::make_espirit_operator<Real>.set(device, make_espirit_operator<Real>);
  kernels::espirit_maps<Real>.set(device, espirit_maps<Real>);
  kernels::walsh_maps<Real>.set(device, walsh_maps<Real>);
  kernels::pipe_menon_step<Real>.set(device, pipe_menon_step<Real>);
  kernels::sum_of_weights<Real>.set(device, sum_of_weights<Real>);
  kernels::differences_forward<Real>.set(device, differences_forward<Real>);
  kernels::differences_adjoint<Real>.set(device, differences_adjoint<Real>);
  kernels::differences_normal<Real>.set(device, differences_normal<Real>);
  kernels::scale<Real>.set(device, scale<Real>);
  kernels::sense_forward<Real>.set(device, sense_forward<Real>);
  kernels::sense_adjoint<Real>.set(device, sense_adjoint<Real>);
}

}  // namespace

void register_kernels() {
  kernels::all_at_most.set(DeviceKind::cuda, all_at_most);
  kernels::nufft_cost.set(DeviceKind::cuda, nufft_cost);
  kernels::convolution_cost.set(DeviceKind::cuda, convolution_cost);
  kernels::most_coils_at_once.set(DeviceKind::cuda, most_coils_at_once);
  kernels::gridding_memory.set(DeviceKind::cuda, gridding_memory);
  kernels::espirit_memory.set(DeviceKind::cuda, espirit_memory);
  kernels::convolution_memory.set(DeviceKind::cuda, convolution_memory);
  register_precision<float>();
  register_precision<double>();
}

}  // namespace whorl::backend::cuda

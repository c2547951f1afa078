#include "backend/cuda/filter/register.hpp"

#include "backend/cuda/filter/alpha.hpp"
#include "backend/cuda/filter/bias.hpp"
#include "backend/cuda/filter/bilateral.hpp"
#include "backend/cuda/filter/canny.hpp"
#include "backend/cuda/filter/clahe.hpp"
#include "backend/cuda/filter/combine_volumes.hpp"
#include "backend/cuda/filter/detail.hpp"
#include "backend/cuda/filter/diffusion.hpp"
#include "backend/cuda/filter/flip.hpp"
#include "backend/cuda/filter/float_pixels.hpp"
#include "backend/cuda/filter/frame.hpp"
#include "backend/cuda/filter/gibbs.hpp"
#include "backend/cuda/filter/median.hpp"
#include "backend/cuda/filter/morphology.hpp"
#include "backend/cuda/filter/non_local_means.hpp"
#include "backend/cuda/filter/plates.hpp"
#include "backend/cuda/filter/points.hpp"
#include "backend/cuda/filter/quarter_turn.hpp"
#include "backend/cuda/filter/recursive_gaussian.hpp"
#include "backend/cuda/filter/resize.hpp"
#include "backend/cuda/filter/separable.hpp"
#include "backend/cuda/filter/shift_sums.hpp"
#include "backend/cuda/filter/statistics.hpp"
#include "backend/cuda/filter/stencil.hpp"
#include "backend/cuda/filter/warp.hpp"
#include "backend/cuda/filter/wide_complex.hpp"
#include "kernels/filter/alpha.hpp"
#include "kernels/filter/detail.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
void register_type() {
  constexpr auto device = DeviceKind::cuda;
  kernels::bilateral<T>.set(device, bilateral<T>);
  kernels::canny<T>.set(device, canny<T>);
  kernels::copy_alpha<T, T>.set(device, copy_alpha<T, T>);
  kernels::copy_alpha<T, float>.set(device, copy_alpha<T, float>);
  kernels::flip<T>.set(device, flip<T>);
  kernels::frame<T>.set(device, frame<T>);
  kernels::from_float<T>.set(device, from_float<T>);
  kernels::median<T>.set(device, median<T>);
  kernels::narrow<T>.set(device, narrow<T>);
  kernels::plates<T>.set(device, plates<T>);
  kernels::quarter_turn<T>.set(device, quarter_turn<T>);
  kernels::raise_detail<T>.set(device, raise_detail<T>);
  kernels::recursive_gaussian<T>.set(device, recursive_gaussian<T>);
  kernels::resize<T>.set(device, resize<T>);
  kernels::separable<T>.set(device, separable<T>);
  kernels::shift_sums<T>.set(device, shift_sums<T>);
  kernels::stencil<T, T>.set(device, stencil<T, T>);
  kernels::stencil<T, float>.set(device, stencil<T, float>);
  kernels::subtract<T>.set(device, subtract<T>);
  kernels::to_float<T>.set(device, to_float<T>);
  kernels::warp<T>.set(device, warp<T>);
  kernels::widen<T>.set(device, widen<T>);
  kernels::window_extremum<T>.set(device, window_extremum<T>);
}

// Whose point operations are few instructions.
template <class T>
void register_fused() {
  constexpr auto device = DeviceKind::cuda;
  kernels::median_fused<T>.set(device, median_fused<T>);
  kernels::resize_fused<T>.set(device, resize_fused<T>);
  kernels::separable_fused<T>.set(device, separable_fused<T>);
  kernels::stencil_fused<T, T>.set(device, stencil_fused<T, T>);
  kernels::window_extremum_fused<T>.set(device, window_extremum_fused<T>);
}

}  // namespace

void register_filters() {
  constexpr auto device = DeviceKind::cuda;
  kernels::apply_points.set(device, apply_points);
  kernels::bias_apply.set(device, bias_apply);
  kernels::bias_logs.set(device, bias_logs);
  kernels::bias_normalize.set(device, bias_normalize);
  kernels::clahe_map<std::uint16_t>.set(device, clahe_map<std::uint16_t>);
  kernels::clahe_map<std::uint8_t>.set(device, clahe_map<std::uint8_t>);
  kernels::clahe_tables<std::uint16_t>.set(device, clahe_tables<std::uint16_t>);
  kernels::clahe_tables<std::uint8_t>.set(device, clahe_tables<std::uint8_t>);
  kernels::combine_volumes.set(device, combine_volumes);
  kernels::count_levels.set(device, count_levels);
  kernels::diffuse_lines.set(device, diffuse_lines);
  kernels::extremes.set(device, extremes);
  kernels::gibbs_choose.set(device, gibbs_choose);
  kernels::gibbs_shift.set(device, gibbs_shift);
  kernels::gibbs_split.set(device, gibbs_split);
  kernels::heat_steps.set(device, heat_steps);
  kernels::noise_sigma.set(device, noise_sigma);
  kernels::non_local_means.set(device, non_local_means);
  kernels::perona_malik_steps.set(device, perona_malik_steps);
  kernels::sum_colors.set(device, sum_colors);
  kernels::sum_pixels.set(device, sum_pixels);
  kernels::transpose_planes.set(device, transpose_planes);
  register_type<std::uint8_t>();
  register_type<std::uint16_t>();
  register_type<float>();
  register_fused<std::uint8_t>();
  register_fused<float>();
  kernels::stencil_fused<std::uint8_t, float>.set(device, stencil_fused<std::uint8_t, float>);
}

}  // namespace whorl::backend::cuda

#include "backend/cpu/filter/register.hpp"

#include "backend/cpu/filter/alpha.hpp"
#include "backend/cpu/filter/bias.hpp"
#include "backend/cpu/filter/bilateral.hpp"
#include "backend/cpu/filter/canny.hpp"
#include "backend/cpu/filter/clahe.hpp"
#include "backend/cpu/filter/combine_volumes.hpp"
#include "backend/cpu/filter/detail.hpp"
#include "backend/cpu/filter/diffusion.hpp"
#include "backend/cpu/filter/flip.hpp"
#include "backend/cpu/filter/float_pixels.hpp"
#include "backend/cpu/filter/frame.hpp"
#include "backend/cpu/filter/gibbs.hpp"
#include "backend/cpu/filter/median.hpp"
#include "backend/cpu/filter/morphology.hpp"
#include "backend/cpu/filter/non_local_means.hpp"
#include "backend/cpu/filter/plates.hpp"
#include "backend/cpu/filter/points.hpp"
#include "backend/cpu/filter/quarter_turn.hpp"
#include "backend/cpu/filter/recursive_gaussian.hpp"
#include "backend/cpu/filter/resize.hpp"
#include "backend/cpu/filter/separable.hpp"
#include "backend/cpu/filter/shift_sums.hpp"
#include "backend/cpu/filter/statistics.hpp"
#include "backend/cpu/filter/stencil.hpp"
#include "backend/cpu/filter/warp.hpp"
#include "backend/cpu/filter/wide_complex.hpp"
#include "kernels/filter/alpha.hpp"
#include "kernels/filter/detail.hpp"

namespace whorl::backend::cpu {

namespace {

template <class T>
void register_type() {
  constexpr auto device = DeviceKind::cpu;
  kernels::bilateral<T>.set(device, bilateral<T>);
  kernels::canny<T>.set(device, canny<T>);
  kernels::copy_alpha<T, T>.set(device, copy_alpha<T, T>);
  kernels::copy_alpha<T, float>.set(device, copy_alpha<T, float>);
  kernels::flip<T>.set(device, flip<T>);
  kernels::frame<T>.set(device, frame<T>);
  kernels::from_float<T>.set(device, from_float<T>);
  kernels::median<T>.set(device, median<T>);
  kernels::median_fused<T>.set(device, median_fused<T>);
  kernels::narrow<T>.set(device, narrow<T>);
  kernels::plates<T>.set(device, plates<T>);
  kernels::quarter_turn<T>.set(device, quarter_turn<T>);
  kernels::raise_detail<T>.set(device, raise_detail<T>);
  kernels::recursive_gaussian<T>.set(device, recursive_gaussian<T>);
  kernels::resize<T>.set(device, resize<T>);
  kernels::resize_fused<T>.set(device, resize_fused<T>);
  kernels::separable<T>.set(device, separable<T>);
  kernels::separable_fused<T>.set(device, separable_fused<T>);
  kernels::shift_sums<T>.set(device, shift_sums<T>);
  kernels::stencil<T, T>.set(device, stencil<T, T>);
  kernels::stencil<T, float>.set(device, stencil<T, float>);
  kernels::stencil_fused<T, T>.set(device, stencil_fused<T, T>);
  kernels::stencil_fused<T, float>.set(device, stencil_fused<T, float>);
  kernels::subtract<T>.set(device, subtract<T>);
  kernels::to_float<T>.set(device, to_float<T>);
  kernels::warp<T>.set(device, warp<T>);
  kernels::widen<T>.set(device, widen<T>);
  kernels::window_extremum<T>.set(device, window_extremum<T>);
  kernels::window_extremum_fused<T>.set(device, window_extremum_fused<T>);
}

}  // namespace

void register_filters() {
  constexpr auto device = DeviceKind::cpu;
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
}

}  // namespace whorl::backend::cpu

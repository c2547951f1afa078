// Water and fat from complex images of several echoes, with field map, R2* and error bars.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

struct FatPeak {
  double ppm = 0;        ///< from water; negative: slower
  double amplitude = 0;  ///< the amplitudes of a spectrum have the sum 1
};

/// Six peaks of liver fat, water at 4.7 ppm.
///
/// Source  Hamilton, Yokoo, Bydder, Cruite, Schroeder, Sirlin, Middleton, NMR Biomed 24:784 (2011)
std::vector<FatPeak> liver_fat();

struct WaterFatOptions {
  double field_strength = 3;  ///< T
  double threshold = 0.05;    ///< voxels below this part of the largest magnitude are left out
  double smoothness =
      0.3;  ///< of the field, as a part of the signal's energy: what a jump of a turn between voxels costs
  std::optional<double>
      range{};            ///< the field lies between -range and range, in Hz; none: 0.75 over the shortest spacing
  bool opposite = false;  ///< phases turn the other way: exp(+2 pi i f t)
  std::optional<double>
      noise{};           ///< standard deviation of the real and of the imaginary part; none: from what the fits leave
  int iterations = 100;  ///< of each voxel's fit, at most
};

template <>
WHORL_PUBLIC const OptionTable<WaterFatOptions>& option_table<WaterFatOptions>();

/// Maps [(z,) y, x], and their standard deviations; 0 where a voxel was left out or has no fit.
struct WaterFatMaps {
  Array<float> water;  ///< |W|
  Array<float> water_error;
  Array<float> fat;  ///< |F|
  Array<float> fat_error;
  Array<float> fraction;  ///< of fat in the density of protons, from 0 to 1 but for noise
  Array<float> fraction_error;
  Array<float> r2_star;  ///< 1/s; noise may make it negative
  Array<float> r2_star_error;
  Array<float> field;  ///< f in Hz
  Array<float> field_error;
  Index fitted = 0;
  Index failed = 0;
};

/// The model  s(t) = (W + F sum_p a_p exp(-2 pi i d_p t)) exp(-R2* t - 2 pi i f t),  d_p = gamma B0 ppm_p, W and F complex.
///
/// 1. For each voxel, fields of a grid and decays of a few rates, W and F are solved for. What they leave, J(f), has several
///    minima: the true one, those with water and fat swapped, and repetitions after 1 / spacing of the echoes. Its minima are
///    the voxel's candidates.
/// 2. One candidate for each voxel is chosen by the least sum of J / E (E: energy of the voxel's signal) and of smoothness
///    |f_r - f_s| spacing, 1 at most, over all pairs of neighbors, weighted by the weaker signal: tree-reweighted message
///    passing in a fixed order. If several fields explain the data alike, the one nearest to 0 is taken.
/// 3. From there W, F, f and R2* of each voxel are fitted to its values alone by Levenberg and Marquardt, without smoothness.
///    The maximum likelihood for normal noise; the error bars are of its covariance.
///
/// The fraction is that of magnitude discrimination: 1 - |W| / |W + F| where |W| >= |F|, else |F| / |W + F|. Relaxation by T1
/// is not in the model: take small flip angles.
///
/// Shapes    echoes [echo, (z,) y, x] on the host; times [echo] in seconds; maps on the host
/// Device    step 3 on the context's device, 1 and 2 on the host
/// Progress  stages "field candidates", "field", "water and fat"; Cancelled
/// Throws    ShapeError; ValueError (fewer than four echoes, or three if the noise is given; times that are negative, equal or
///           not finite; values that are not finite or all 0; no peaks, amplitudes whose sum is not 1 to 1 %, options out of
///           range)
/// Source    Yu, Shimakawa, McKenzie, Brodsky, Brittain, Reeder, Magn Reson Med 60:1122 (2008); J(f): Hernando, Kellman,
///           Haldar, Liang, Magn Reson Med 63:79 (2010); message passing: Kolmogorov, IEEE Trans PAMI 28:1568 (2006); fraction:
///           Liu, McKenzie, Yu, Brittain, Reeder, Magn Reson Med 58:354 (2007)
WaterFatMaps fit_water_fat(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                           std::span<const double> times, const std::vector<FatPeak>& peaks,
                           const WaterFatOptions& options = {});

/// The echoes without what fat does to their phases, for a field map that is smooth over water and fat
/// (estimate_field_map): s(t) conj(u(t)) / |u(t)|, where u = W + F sum_p a_p exp(-2 pi i d_p t) has the W and F that fit the
/// voxel's echoes best with the field and R2* of the maps. What is left turns by exp(-2 pi i f t). 0 where the maps have no
/// fit.
///
/// Shapes  echoes, times, peaks and options as fit_water_fat's, maps its result; the result as the echoes, on the host
/// Throws  ShapeError
Array<std::complex<float>> without_fat(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                                       std::span<const double> times, const std::vector<FatPeak>& peaks,
                                       const WaterFatMaps& maps, const WaterFatOptions& options = {});

}  // namespace whorl

// Field maps from images of several echoes.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

struct FieldMapOptions {
  double threshold = 0.1;  ///< voxels below this part of the largest magnitude say nothing of the field
  double smoothness =
      0.3;  ///< in pixels: where the signal is median, details of 2 pi times as many are halved; 0: none
  std::optional<double> noise{};  ///< standard deviation of the real and of the imaginary part; none: no error bars
  int iterations = 20;            ///< of the regularized fit with each set of echo spacings, at most
};

template <>
WHORL_PUBLIC const OptionTable<FieldMapOptions>& option_table<FieldMapOptions>();

struct FieldMap {
  Array<float> hertz;  ///< f [(z,) y, x]
  Array<float>
      error;  ///< standard deviation of f from the voxel's own values; 0 outside the object. Empty without noise
  Array<float> mask;     ///< 1 in the object, 0 where the field is continued from there
  Index regions = 0;     ///< connected parts of the object, whose fields are known but for a common multiple
  double coherence = 0;  ///< weighted mean of cos(phase difference of neighbors) with the shortest spacing
  double agreement = 0;  ///< weighted mean of cos(measured phase - that of the map) over all pairs of echoes
};

/// The off-resonance f of echoes s_ec(r) = a_c(r) w_e(r) exp(-2 pi i f(r) t_e), w positive (decay), a complex:
///
/// 1. Products p_ij = sum_c conj(s_ic) s_jc have the phase -2 pi f (t_j - t_i) and, for coils of any phase, the weight of
///    the signal. Products of the shortest spacing give f but for a multiple of 1 / spacing.
/// 2. Neighbors are joined in the order of their quality, min(|p|) (1 + cos(difference)), regions by the multiple that makes
///    the pair most alike: region growing from all places at once, in 2D and 3D.
/// 3. Each connected region of the object gets the multiple with which the other spacings agree best or, where they agree
///    with all alike, that with the median nearest to 0.
/// 4. The sum over pairs of |p_ij| (1 - cos(angle p_ij + 2 pi f (t_j - t_i))) is the negative logarithm of the likelihood
///    for normal noise. It is lessened from there, with beta |D^2 f|^2 added, by quadratic functions above it, first with
///    the short spacings, then with all. Outside the object the second differences alone continue f.
///
/// The error bar is 1 / (2 pi sqrt(sum_e |s_e|^2 (t_e - mean)^2)) times the noise (mean: weighted by |s_e|^2), the bound of
/// Cramer and Rao without the smoothness, which lowers it.
///
/// Shapes    echoes [echo, coil, (z,) y, x] on the host; times [echo], in seconds; maps [(z,) y, x]
/// Accuracy  test/unit/calib/test_field_map.cpp
/// Progress  a stage "field map", and Cancelled
/// Throws    ShapeError; ValueError (fewer than two echoes, times that are equal or not finite, values that are not
///           finite or all 0, options out of range, neighbors whose phases have nothing in common: noise, or spacings too
///           long for the field)
/// Source    Funai, Fessler, Yeo, Olafsson, Noll, "Regularized field map estimation in MRI", IEEE Trans Med Imaging 27:1484
///           (2008); joining by quality: Herraez, Burton, Lalor, Gdeisat, Applied Optics 41:7437 (2002)
FieldMap estimate_field_map(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                            std::span<const double> times, const FieldMapOptions& options = {});

}  // namespace whorl

// Measures of the quality of density weights.
#pragma once

#include "whorl/density/impulse_response.hpp"

namespace WHORL_PUBLIC whorl {

/// Flatness of the gridded weights.
struct GridFlatness {
  double variation = 0;   ///< standard deviation over mean; 0: flat
  double least = 0;       ///< smallest value over mean; 0 if a part of the support has no sample
  double most = 0;        ///< largest value over mean
  Index grid_points = 0;  ///< number of values; the three above are NaN if there are none or all are 0
};

/// Half the width of grid_flatness's window, in cycles per field of view.
inline constexpr int flatness_reach = 2;

/// Convolves the weights with a gridding window and measures the flatness of the result:
///
///   g_i = sum_j w_j prod_d window(i_d - N_d k_jd),   window: Kaiser-Bessel, 4 cells of 1/FOV wide (op/window.hpp,
///                                                    with beta for an oversampling of 2),
///
/// on the grid of the image, k_i = i_d / N_d. It includes those i whose whole window, the box |k - k_i|_d <= 2 / N_d,
/// lies in the convex hull of the samples (the sampled support). The window's transform falls to 0.6 at a quarter of
/// the field of view from the center, to 0.1 at the edge and to 0.0002 at twice that distance. So the measure responds
/// to variations that would shade or alias the image. Full Cartesian sampling has a variation of 0.001 (its samples lie
/// on the window's edge).
///
/// Shapes  points [sample, dim], weights [sample], image_shape [(z,) y, x]
/// Throws  ShapeError, ValueError (the trajectory; samples that lie on a line, in 3D in a plane)
template <Precision Real>
WHORL_PUBLIC GridFlatness grid_flatness(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights,
                                        const Shape& image_shape);

struct DensityQuality {
  ImpulseResponse response;
  GridFlatness flatness;

  /// Largest side lobe in dB: 20 log10(side_lobe).
  double side_lobe_db() const;
};

/// Impulse response and flatness. Throws what both throw.
template <Precision Real>
WHORL_PUBLIC DensityQuality density_quality(const Context& ctx, ArrayRef<const double> points,
                                            ArrayRef<const Real> weights, const Shape& image_shape);

}  // namespace whorl

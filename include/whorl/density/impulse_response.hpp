// The impulse response of density weights: their image of a point.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The image p of a point in the center of the field of view.
struct ImpulseResponse {
  double width = 0;             ///< full width at half maximum, mean of the axes, in pixels
  double side_lobe = 0;         ///< largest |p| farther than 3 pixels from the peak, over the peak
  double side_lobe_energy = 0;  ///< part of the energy of p that lies farther than 3 pixels from the peak
};

/// Radius of the main lobe in pixels. The response of an evenly covered disc of k-space, 2 J1(pi r)/(pi r), has its
/// first side lobe (0.13) at r = 1.6 and is below 0.04 beyond 3. Larger values there come from the sampling.
inline constexpr double main_lobe_radius = 3;

/// Grids the weights and measures p = A^H w on an image of the given shape.
///
/// Shapes  points [sample, dim], weights [sample], image_shape [(z,) y, x]
/// Throws  ShapeError, ValueError
template <Precision Real>
WHORL_PUBLIC ImpulseResponse impulse_response(const Context& ctx, ArrayRef<const double> points,
                                              ArrayRef<const Real> weights, const Shape& image_shape);

}  // namespace whorl

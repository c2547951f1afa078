// Weights of first differences from reference images: what an anatomical prior knows.
#pragma once

#include <span>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl {

/// From which difference on neighboring pixels of a reference count as two sides of an edge: delta is the larger of the
/// two below. Pixels above a tenth of the reference's largest magnitude (its 99th percentile) are the object.
struct EdgeOptions {
  /// Standard deviations of a difference by the reference's noise alone, which the lower quartile of |difference| in
  /// the object tells: 0.3186 of it for normal noise. Above 0.
  double noise_factor = 1;
  /// Part of the median magnitude in the object, for references without noise. Above 0, at most 1.
  double contrast = 0.02;
};

struct EdgeWeights {
  Array<float> weights;        ///< [axis, (z,) y, x], for WeightedDifferences; on the host
  std::vector<double> deltas;  ///< of each reference
  double halved = 0;           ///< part of the differences that count less than half, w^2 < 1/2
};

/// Weights w of the differences between each pixel and the next along each axis, from references x_q of other
/// contrasts:
///
///   w[a,r]^2 = 1 / (1 + sum_q (|x_q[r+e_a] - x_q[r]| / delta_q)^2),
///
/// 1 within a tissue and small across an edge that any of the references shows. Behind the last pixel of an axis, where
/// there is no difference, w is 1.
///
/// The quadratic penalty on first differences with weights from the edges of references is that of Haldar et al. The
/// function of the references' differences is chosen here, not taken from there: the weight that Charbonnier et al.
/// give each difference of the image itself in half-quadratic form for the penalty log(1 + t^2), with the references in
/// the image's place, so that the problem stays linear. One fixed w instead of an edge decided on: what lies near delta
/// counts in part.
///
/// Shapes  each reference [z, y, x] or [y, x], on the host, on the grid of the reconstruction
/// Throws  ShapeError, ValueError (no reference, one that is 0 everywhere or not finite, options out of range)
/// Source  Haldar, Hernando, Song, Liang, Magn Reson Med 59 (2008) 810; Charbonnier, Blanc-Feraud, Aubert, Barlaud,
///         IEEE Trans Image Process 6 (1997) 298
EdgeWeights edge_weights(const Context& ctx, std::span<const ArrayRef<const float>> references,
                         const EdgeOptions& options = {});

}  // namespace whorl

// Weights of first differences from reference images, for an anatomical prior.
#pragma once

#include <span>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The difference delta from which neighboring pixels of a reference count as two sides of an edge: the larger of the
/// two values below. The object is where a reference is above a tenth of its largest magnitude (99th percentile).
struct EdgeOptions {
  /// In standard deviations of a difference of the reference's noise. That standard deviation is estimated from the
  /// lower quartile of |difference| in the object, which is 0.3186 of it for normal noise. Above 0.
  double noise_factor = 1;
  /// Part of the median magnitude in the object, for references without noise. Above 0, at most 1.
  double contrast = 0.02;
};

struct EdgeWeights {
  Array<float> weights;        ///< [axis, (z,) y, x], for WeightedDifferences; on the host
  std::vector<double> deltas;  ///< of each reference
  double halved = 0;           ///< part of the differences with w^2 < 1/2
};

/// Weights w of the differences between each pixel and the next along each axis, from references x_q of other
/// contrasts:
///
///   w[a,r]^2 = 1 / (1 + sum_q (|x_q[r+e_a] - x_q[r]| / delta_q)^2),
///
/// w is 1 within a tissue and small across an edge of any reference. Behind the last pixel of an axis, where there is
/// no difference, w is 1.
///
/// The quadratic penalty on first differences with weights from the edges of references is that of Haldar et al. The
/// formula for w is whorl's choice. It is the weight of Charbonnier et al. for the penalty log(1 + t^2) in
/// half-quadratic form, with the differences of the references in place of those of the image, so the problem stays
/// linear. w is smooth: a difference near delta counts in part, so there is no hard decision about edges.
///
/// Shapes  each reference [z, y, x] or [y, x], on the host, on the grid of the reconstruction
/// Throws  ShapeError, ValueError (no reference, one that is 0 everywhere or not finite, options out of range)
/// Source  Haldar, Hernando, Song, Liang, Magn Reson Med 59 (2008) 810; Charbonnier, Blanc-Feraud, Aubert, Barlaud,
///         IEEE Trans Image Process 6 (1997) 298
EdgeWeights edge_weights(const Context& ctx, std::span<const ArrayRef<const float>> references,
                         const EdgeOptions& options = {});

}  // namespace whorl

// The normalization of density weights.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Scales density weights so that their sum is the number of samples. All of whorl's weights are normalized this way.
/// Throws ValueError (a weight that is negative or not finite, all weights zero)
template <Precision Real>
WHORL_PUBLIC void normalize_weights(ArrayRef<Real> weights);
template <Precision Real>
void normalize_weights(Array<Real>& weights) {
  normalize_weights(weights.ref());
}

/// normalize_weights for weights on the host or on the context's device.
template <Precision Real>
WHORL_PUBLIC void normalize_weights(const Context& ctx, ArrayRef<Real> weights);
template <Precision Real>
void normalize_weights(const Context& ctx, Array<Real>& weights) {
  normalize_weights(ctx, weights.ref());
}

}  // namespace whorl

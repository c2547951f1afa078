// Density compensation: what all kinds of density weights share.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

/// Scales density weights so that their sum is the number of samples: whorl's one normalization.
/// Throws ValueError when a weight is negative or not finite, or when all are zero.
template <class Real>
void normalize_weights(ArrayRef<Real> weights);

/// The same for weights on the host or on the context's device.
template <class Real>
void normalize_weights(const Context& ctx, ArrayRef<Real> weights);

}  // namespace whorl

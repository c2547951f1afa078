// Medians of 3 x 3 numbers.
#pragma once

#include "filter/src/kernels/ordered/ordered.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// The padding at the end of rows, for the last vector.
inline constexpr Index nine_slack_bytes = 64;

/// to[i] is the pixel whose key is the median of the keys at i, i + channels and i + 2 channels of three rows. `stream`
/// bypasses the caches.
template <class T>
[[gnu::visibility("hidden")]] void medians_of_nine(const kernels::Ordered<T>* const* rows, Index channels, Index count,
                                                   bool stream, T* to);

}  // namespace whorl::backend::cpu

// How much work runs side by side. Measured on an H100 with CG-SENSE of 12 coils, 34 spokes and 128^2 to 512^2: the time
// falls by a fifth to a third with two or three frames at a time, and no further with four or eight.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda::tuning {

/// Elements of the results of the pieces that run beside the first, and the most pieces.
inline constexpr Index elements_at_once = Index{512} * 512;
inline constexpr Index most_at_once = 3;

}  // namespace whorl::backend::cuda::tuning

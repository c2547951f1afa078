// Converts rows of floats to the integers by which they are compared, and back.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// to[i] = kernels::to_ordered(from[i]).
void keys_of_row(const float* from, Index count, std::int32_t* to);

/// to[i] = kernels::from_ordered<float>(from[i]).
void row_of_keys(const std::int32_t* from, Index count, float* to);

}  // namespace whorl::backend::cpu

// Rows of floats as the integers that they are compared by, and back.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// to[i] = kernels::to_ordered(from[i]).
void keys_of_row(const float* from, Index count, std::int32_t* to);

/// to[i] = kernels::from_ordered<float>(from[i]).
void row_of_keys(const std::int32_t* from, Index count, float* to);

}  // namespace whorl::backend::cpu

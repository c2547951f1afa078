// Components of masks, on a CPU.
#pragma once

#include <cstdint>

#include "filter/src/kernels/canny/components.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// Grows seeds (a subset of the mask) to all components of the mask that contain a seed. Pixels are connected with
/// their eight neighbors within a slice.
void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cpu

// Components of masks, on a CPU.
#pragma once

#include <cstdint>

#include "filter/kernels/canny/components.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// Grows seeds (a part of the mask) to the components of the mask that hold one. Pixels are connected over their eight
/// neighbors within a slice.
void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cpu

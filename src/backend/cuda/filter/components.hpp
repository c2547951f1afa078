// Components of masks, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/components.hpp"

namespace whorl::backend::cuda {

void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cuda

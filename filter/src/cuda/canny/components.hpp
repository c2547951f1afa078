// Components of masks, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/canny/components.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cuda {

/// Runs of ones that become edges only if their root is a seed (components.cuh).
struct OpenRuns {
  Array<std::uint32_t> words;  ///< of all masks
  Array<int> parents;          ///< of all their nodes, within a slice
};

/// Grows seeds (a subset of the mask), connected through eight neighbors, within tiles. The result has the runs that
/// are still open.
OpenRuns grow_in_tiles(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask,
                       std::uint32_t* seeds);

}  // namespace whorl::backend::cuda

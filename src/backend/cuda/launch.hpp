// How many blocks a loop over elements, or a sum of them, gets.
#pragma once

#include <algorithm>

#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

inline constexpr int loop_threads = 256;

/// Blocks of loop_threads threads for a loop over `count` elements whose threads stride over the grid: as many as the
/// device runs at once, and no more than there is work for.
inline unsigned loop_blocks(const Context& ctx, Index count) {
  const int at_once = properties_of(ctx).multiProcessorCount * (2048 / loop_threads);
  return static_cast<unsigned>(std::clamp<Index>((count + loop_threads - 1) / loop_threads, 1, at_once));
}

/// Blocks of loop_threads threads for a sum over `count` elements, each of which leaves a partial sum. Their number
/// does not follow the device, so that the order of the sum does not.
inline int partial_sums(Index count) {
  constexpr Index most = 1024;
  return static_cast<int>(std::clamp<Index>((count + loop_threads - 1) / loop_threads, 1, most));
}

}  // namespace whorl::backend::cuda

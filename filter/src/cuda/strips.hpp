// The length of the strips of rows that blocks go down.
#pragma once

#include <algorithm>

#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

template <class Kernel>
Index blocks_at_once(const Context& ctx, Kernel kernel, int threads, std::size_t shared) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return Index{std::max(blocks, 1)} * properties_of(ctx).multiProcessorCount;
}

/// The number of rows of a strip, a multiple of `unit`, with `across` strips beside each other: such that all strips
/// run at once or, if that takes more than `longest` rows, in two rounds, three rounds and so on.
inline Index rows_of_strips(Index at_once, Index across, Index height, Index unit, Index longest) {
  const auto strips = [&](Index rounds) { return std::clamp<Index>(rounds * at_once / across, 1, height); };
  const Index rounds = divide_up(divide_up(height, strips(1)), longest);
  return std::min(round_up(divide_up(height, strips(rounds)), unit), round_up(longest, unit));
}

/// Blocks whose y goes over strips. If there are more strips than a grid can have, a block strides over them.
inline dim3 grid_of_strips(Index across, Index strips) {
  constexpr Index most = 65535;
  return {static_cast<unsigned>(across), static_cast<unsigned>(std::min(strips, most))};
}

}  // namespace whorl::backend::cuda

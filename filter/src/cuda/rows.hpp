// The grid of kernels whose threads stride along a row and whose blocks stride over rows.
#pragma once

#include <algorithm>

#include "backend/cuda/launch.hpp"

namespace whorl::backend::cuda {

/// Blocks of loop_threads threads: x goes along rows, y goes from row to row.
inline dim3 grid_of_rows(Index length, Index rows) {
  constexpr Index most_rows = 65535;
  return grid_of(divide_up(length, loop_threads), std::min(rows, most_rows));
}

}  // namespace whorl::backend::cuda

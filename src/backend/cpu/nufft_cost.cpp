#include "backend/cpu/nufft_cost.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::backend::cpu {

// Of one thread, as measured on a processor with vectors of 32 bytes: a sample costs a fixed part for fetching it and
// half a nanosecond for each vector of the window's lines, a grid point its part in the transforms, which in 3D is that
// of the memory.
double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double vectors = std::pow(work.width, work.dim - 1) * std::ceil(work.width / 4.0);
  const double per_point = work.dim == 2 ? 5 : 10;
  return static_cast<double>(work.samples) * (6 + 0.5 * vectors) + static_cast<double>(work.grid_points) * per_point;
}

// Of these 5.5 are for an application, most of whose grid is never in memory, and 1 for a thirtieth of the planning.
double convolution_cost(const Context&, int, Index grid_points) { return 6.5 * static_cast<double>(grid_points); }

// Grids of a batch stay in the last-level cache, and the window is evaluated once for all coils of a batch.
Index most_coils_at_once(const Context&, Index grid_bytes) {
  constexpr Index batch_bytes = Index{8} << 20;
  return std::max<Index>(batch_bytes / grid_bytes, 1);
}

}  // namespace whorl::backend::cpu

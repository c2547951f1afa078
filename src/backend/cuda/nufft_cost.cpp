#include "backend/cuda/nufft_cost.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/tuning/nufft_cost.hpp"

namespace whorl::backend::cuda {

double nufft_cost(const Context&, const kernels::NufftWork& work) {
  const double points = std::pow(work.width, work.dim);
  const tuning::NufftCost& cost = work.dim == 2 ? tuning::nufft_2d : tuning::nufft_3d;
  return static_cast<double>(work.samples) * (cost.sample + cost.window_point * points) +
         static_cast<double>(work.grid_points) * cost.grid_point;
}

double convolution_cost(const Context&, int dim, Index grid_points) {
  return static_cast<double>(grid_points) * (dim == 2 ? tuning::convolution_2d : tuning::convolution_3d);
}

// The window's values serve all coils of a batch; more coils than fill the device are no faster together.
Index most_coils_at_once(const Context& ctx, Index grid_bytes) {
  const auto part = static_cast<Index>(tuning::part_of_memory * static_cast<double>(ctx.pool().limit()));
  return std::max<Index>(std::min(tuning::batch_bytes, part) / grid_bytes, 1);
}

}  // namespace whorl::backend::cuda

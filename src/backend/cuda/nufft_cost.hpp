// The cost of the NUFFT on a GPU.
#pragma once

#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cuda {

double nufft_cost(const Context& ctx, const kernels::NufftWork& work);
double convolution_cost(const Context& ctx, int dim, Index grid_points);
Index most_coils_at_once(const Context& ctx, Index grid_bytes);

}  // namespace whorl::backend::cuda

// The cost of the NUFFT on a CPU.
#pragma once

#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cpu {

double nufft_cost(const Context& ctx, const kernels::NufftWork& work);
double convolution_cost(const Context& ctx, int dim, Index grid_points);
Index most_coils_at_once(const Context& ctx, Index grid_bytes);
kernels::GriddingMemory gridding_memory(const Context& ctx, const kernels::NufftWork& work, Index real_bytes,
                                        Index coils);
Index convolution_memory(const Context& ctx, const kernels::ConvolutionGeometry& geometry, Index real_bytes,
                         Index coils);

}  // namespace whorl::backend::cpu

// Statistics of images on a CPU.
#pragma once

#include "kernels/filter/statistics.hpp"

namespace whorl::backend::cpu {

void count_levels(const Context& ctx, const kernels::Observed& what, float low, float scale, Index pixels,
                  const void* from, std::uint64_t* counts);
void extremes(const Context& ctx, const kernels::Observed& what, Index pixels, const void* from, std::uint32_t* keys);
void sum_colors(const Context& ctx, const kernels::Observed& what, Index pixels, const void* from, double* sums);

}  // namespace whorl::backend::cpu

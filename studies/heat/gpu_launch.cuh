// Helpers for the launches of this study.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::heat {

inline unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

template <class To, class From>
__global__ void convert_kernel(const From* from, To* to, Index count) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i < count) to[i] = static_cast<To>(from[i]);
}

template <class To, class From>
void convert(const Context& ctx, const From* from, To* to, Index count) {
  constexpr int threads = 256;
  convert_kernel<<<blocks_for(count, threads), threads, 0, backend::cuda::stream_of(ctx)>>>(from, to, count);
  backend::cuda::check_launch("convert");
}

}  // namespace whorl::studies::heat

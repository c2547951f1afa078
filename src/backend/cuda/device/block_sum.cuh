// Sums over the threads of a block, in the same order in every run.
#pragma once

namespace whorl::backend::cuda {

/// The sum of `value` over the block's threads, in its first thread. `threads`, the size of the block, is a multiple of
/// 32 and at most 1024.
template <int threads>
__device__ double block_sum(double value) {
  constexpr unsigned all = 0xffffffff;
  __shared__ double of_warp[threads / 32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(all, value, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < threads / 32 ? of_warp[threadIdx.x] : 0;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(all, value, distance);
  }
  __syncthreads();  // the next sum of this block uses the same memory
  return value;
}

}  // namespace whorl::backend::cuda

// A group of threads of a block that share one task: a part of a warp, a warp, or the whole block.
#pragma once

namespace whorl::backend::cuda {

/// `lanes` is a power of two up to 32, or the size of the block. All threads of a warp (of the block, if the group is
/// the block) call sum and any together.
template <int lanes>
class LaneGroup {
  static constexpr unsigned all = 0xffffffff;

 public:
  __device__ int lane() const { return threadIdx.x % lanes; }
  /// The group's index in its block.
  __device__ int index() const { return threadIdx.x / lanes; }

  __device__ void sync() const {
    if constexpr (lanes <= 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Returns the sum over the group's threads to each of them. The order of the sum is the same in every run.
  template <class Real>
  __device__ Real sum(Real value) const {
    constexpr int width = lanes < 32 ? lanes : 32;
    for (int distance = width / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(all, value, distance);
    if constexpr (lanes > 32) {
      __shared__ Real of_warp[lanes / 32];
      __syncthreads();  // other threads may still read the previous sum
      if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
      __syncthreads();
      value = 0;
      for (int warp = 0; warp < lanes / 32; ++warp) value += of_warp[warp];
    }
    return value;
  }

  /// Whether `holds` is true in any thread of the warp, or of the block if the group is larger than a warp.
  __device__ bool any(bool holds) const {
    if constexpr (lanes <= 32) {
      return __any_sync(all, holds);
    } else {
      return __syncthreads_or(holds) != 0;
    }
  }
};

}  // namespace whorl::backend::cuda

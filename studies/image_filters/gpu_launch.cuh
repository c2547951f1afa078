// Helpers for the launches of all versions.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "studies/image_filters/job.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::image_filters {

using backend::cuda::check_launch;
using backend::cuda::stream_of;

inline unsigned blocks_for(Index count, Index per_block) { return static_cast<unsigned>(divide_up(count, per_block)); }

/// Blocks of 32 x 8 threads, a thread for each pixel.
inline constexpr dim3 pixel_block{32, 8, 1};
inline dim3 pixel_grid(int width, int height) {
  return {blocks_for(width, pixel_block.x), blocks_for(height, pixel_block.y), 1};
}

/// Pixel of a thread of such a grid.
inline __device__ int pixel_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
inline __device__ int pixel_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }

}  // namespace whorl::studies::image_filters

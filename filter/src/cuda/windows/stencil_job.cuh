// Code that the kernels of stencils share: the job, its weights, the last step.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::backend::cuda {

struct StencilJob {
  Index slices, height, width;
  int channels;
  int planes;  // channels that a block sums
  int kernel_width, kernel_height;
  int chunk_rows;  // rows of the kernel that fit into shared memory at once
  int pitch;       // words of a row of the tile in shared memory
  Border border;
  float border_value;
  bool absolute, single_finish;
  double scale, offset;
  float scale_single, offset_single;
  Index tiles_x, tiles_y;
};

/// Weights as words. The weights of common kernels are arguments of the launch.
struct StencilWeights {
  static constexpr int most = 768;
  int words[most];
};

/// Shared memory that a block gets by default on every device.
inline constexpr int stencil_shared_bytes = 48 * 1024;

/// The largest number of Out.
template <class Out>
inline constexpr float largest_of = sizeof(Out) == 1 ? 255.0F : 65535.0F;

/// The last step in double, as one function for all places that need it.
__device__ __noinline__ inline double finished_wide(const StencilJob& job, double sum) {
  return fma(job.absolute ? fabs(sum) : sum, job.scale, job.offset);
}

template <class Sum>
__device__ float finished(const StencilJob& job, Sum sum) {
  if (!job.single_finish) return static_cast<float>(finished_wide(job, static_cast<double>(sum)));
  const float value = static_cast<float>(sum);
  return fmaf(job.absolute ? fabsf(value) : value, job.scale_single, job.offset_single);
}

/// The last step for integer results. In double the result is also truncated in double.
template <class Out, class Sum>
__device__ unsigned finished_integer(const StencilJob& job, Sum sum) {
  if (!job.single_finish) {
    const double result = finished_wide(job, static_cast<double>(sum));
    return static_cast<unsigned>(__double2int_rz(fmin(fmax(result, 0.0), double{largest_of<Out>})));
  }
  return static_cast<unsigned>(__float2int_rz(fminf(fmaxf(finished(job, sum), 0.0F), largest_of<Out>)));
}

template <class Out, class Sum>
__device__ void put_finished(const StencilJob& job, Sum sum, Out* to) {
  if constexpr (sizeof(Out) == sizeof(float)) {
    *to = finished(job, sum);
  } else {
    *to = static_cast<Out>(finished_integer<Out>(job, sum));
  }
}

}  // namespace whorl::backend::cuda

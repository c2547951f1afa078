// Stencils of 3 x 3 and 5 x 5 on float32 gray images, in registers: a thread goes down the rows with four pixels of
// each, and holds the rows that the kernel needs.
#pragma once

#include "filter/src/cuda/ends.cuh"
#include "filter/src/cuda/windows/stencil_job.cuh"

namespace whorl::backend::cuda {

inline constexpr int window_threads = 128;
inline constexpr int window_each = 4;
inline constexpr int window_largest = 5;

struct WindowJob {
  Index slices, height, width;
  int groups;  // of four pixels in a row
  int strips, strip_rows;
  Border border;
  float border_value;
  bool absolute;
  float scale, offset;
  float weights[window_largest][window_largest];
};

/// The pixels of a row from x - radius on.
template <int radius>
__device__ void load_window(const WindowJob& job, const Index (&beyond)[2][radius], const float* image, Index y,
                            Index x, float (&row)[window_each + 2 * radius]) {
  const Index near = border_index(job.border, y, job.height);
  if (near < 0) {
#pragma unroll
    for (float& pixel : row) pixel = job.border_value;
    return;
  }
  const float* source = image + near * job.width;
  const float4 middle = __ldg(reinterpret_cast<const float4*>(source + x));
  row[radius] = middle.x;
  row[radius + 1] = middle.y;
  row[radius + 2] = middle.z;
  row[radius + 3] = middle.w;
  const bool begins = x == 0;
  const bool ends = x + window_each == job.width;
#pragma unroll
  for (int i = 0; i < radius; ++i) {
    const Index before = begins ? beyond[0][i] : x - radius + i;
    const Index after = ends ? beyond[1][i] : x + window_each + i;
    row[i] = before < 0 ? job.border_value : __ldg(source + before);
    row[radius + window_each + i] = after < 0 ? job.border_value : __ldg(source + after);
  }
}

/// A row after the load, including pixels beyond a constant border.
template <int radius, class Ends>
__device__ __forceinline__ void load_through(const Ends& ends, const WindowJob& job, Index y, Index x,
                                             float (&row)[window_each + 2 * radius]) {
  if (!ends.loads()) return;
  ends.load(row);
  if (job.border != Border::constant) return;
  const bool outside = y < 0 || y >= job.height;
#pragma unroll
  for (int i = 0; i < window_each + 2 * radius; ++i) {
    const Index at = x - radius + i;
    if (outside || at < 0 || at >= job.width) row[i] = job.border_value;
  }
}

template <int size, class Ends>
__global__ void __launch_bounds__(window_threads)
    stencil_window(const __grid_constant__ WindowJob job, const __grid_constant__ Ends ends,
                   const float* __restrict__ from, float* __restrict__ to) {
  constexpr int radius = size / 2;
  constexpr int ring = size + 1;  // one row is loaded while the others are summed
  // The places to read for the pixels to the left and right of a row; -1: the constant value.
  __shared__ Index beyond[2][radius];
  const int own = static_cast<int>(threadIdx.x);
  if (own < radius) {
    beyond[0][own] = border_index(job.border, own - radius, job.width);
    beyond[1][own] = border_index(job.border, job.width + own, job.width);
  }
  __syncthreads();
  const Index at = blockIdx.x * Index{window_threads} + threadIdx.x;
  const Index strip = at / job.groups;
  if (strip >= job.slices * job.strips) return;
  const Index x = (at - strip * job.groups) * window_each;
  const Index slice = strip / job.strips;
  const Index first = (strip - slice * job.strips) * job.strip_rows;
  const Index last = min(first + job.strip_rows, job.height);
  const float* const image = from + slice * job.height * job.width;
  float* const target = to + slice * job.height * job.width + x;

  float rows[ring][window_each + 2 * radius];
#pragma unroll
  for (int i = 0; i < size; ++i) load_window<radius>(job, beyond, image, first - radius + i, x, rows[i]);
#pragma unroll
  for (int i = 0; i + 1 < size; ++i) load_through<radius>(ends, job, first - radius + i, x, rows[i]);
#pragma unroll 1
  for (Index top = first; top < last; top += ring) {
#pragma unroll
    for (int i = 0; i < ring; ++i) {
      const Index y = top + i;
      if (y >= last) break;
      if (y + 1 < last) load_window<radius>(job, beyond, image, y + 1 + radius, x, rows[(i + size) % ring]);
      load_through<radius>(ends, job, y + radius, x, rows[(i + size - 1) % ring]);
      float sums[window_each] = {};
#pragma unroll
      for (int ky = 0; ky < size; ++ky) {
#pragma unroll
        for (int kx = 0; kx < size; ++kx) {
#pragma unroll
          for (int j = 0; j < window_each; ++j) {
            sums[j] = fmaf(rows[(i + ky) % ring][kx + j], job.weights[ky][kx], sums[j]);
          }
        }
      }
#pragma unroll
      for (float& sum : sums) sum = fmaf(job.absolute ? fabsf(sum) : sum, job.scale, job.offset);
      ends.store(sums);
      *reinterpret_cast<float4*>(target + y * job.width) = make_float4(sums[0], sums[1], sums[2], sums[3]);
    }
  }
}

}  // namespace whorl::backend::cuda

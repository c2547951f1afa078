// Separable windows over floats. A block goes down a strip of the rows, four rows at a time: a thread sums four numbers
// of each along y, from rows that the caches hold, and leaves them to the others in shared memory for the pass along x.
// The threads at both ends make no results: they have what the others see beside them.
#pragma once

#include "backend/cuda/filter/ends.cuh"
#include "backend/cuda/runtime.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

inline constexpr int most_float_threads = 288;
inline constexpr int largest_float_radius = 32;
inline constexpr int float_step = 4;  // rows, and numbers of a thread

struct FloatWindow {
  Index row;  // numbers
  Index slices;
  int height;
  int tiles, tile;  // across: blocks of so many results of a row
  int strips, strip_rows;
  int radius_y, radius_x;
  int halo;      // numbers to both sides of a tile
  bool vectors;  // rows are whole vectors
  Border border;
  float beyond;
  float y[largest_float_radius + 1], x[largest_float_radius + 1];  // taps from the middle on
};

/// Rows beyond the image that a block may read.
inline constexpr int far_float_rows = largest_float_radius + float_step;

__device__ inline void put_four(const float4& four, float* numbers) {
  numbers[0] = four.x;
  numbers[1] = four.y;
  numbers[2] = four.z;
  numbers[3] = four.w;
}

__device__ inline float4 four_of(const float* numbers) {
  return make_float4(numbers[0], numbers[1], numbers[2], numbers[3]);
}

/// Where a thread's four numbers are read.
struct QuadPlace {
  Index first;      // the first of them in the row
  bool is_vector;   // all of them are there, as a vector
  Index places[4];  // else each, -1: constant

  template <int C>
  __device__ static QuadPlace at(const FloatWindow& job, Index first) {
    QuadPlace result;
    result.first = first;
    result.is_vector = job.vectors && first >= 0 && first + 4 <= job.row;
    const Index lead = Index{largest_float_radius + 1} * 4;  // pixels, so that no place is below 0
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const Index place = first + j + lead * C;
      const Index pixel = border_index(job.border, place / C - lead, job.row / C);
      result.places[j] = pixel < 0 ? -1 : pixel * C + place % C;
    }
    return result;
  }

  __device__ float4 load(const float* row, float beyond) const {
    if (row == nullptr) return make_float4(beyond, beyond, beyond, beyond);
    if (is_vector) return __ldg(reinterpret_cast<const float4*>(row + first));
    const auto one = [&](Index place) { return place < 0 ? beyond : __ldg(row + place); };
    return make_float4(one(places[0]), one(places[1]), one(places[2]), one(places[3]));
  }

  /// Those of a constant border, in a row of the image or outside.
  __device__ void put_beyond(bool outside, float beyond, float4& four) const {
    if (outside || places[0] < 0) four.x = beyond;
    if (outside || places[1] < 0) four.y = beyond;
    if (outside || places[2] < 0) four.z = beyond;
    if (outside || places[3] < 0) four.w = beyond;
  }
};

__device__ inline float4 times(float tap, const float4& a) {
  return make_float4(__fmul_rn(tap, a.x), __fmul_rn(tap, a.y), __fmul_rn(tap, a.z), __fmul_rn(tap, a.w));
}

__device__ inline float add_both(float sum, float tap, float a, float b) {
  return __fmaf_rn(tap, __fadd_rn(a, b), sum);
}

__device__ inline float4 add_both(const float4& sum, float tap, const float4& a, const float4& b) {
  return make_float4(add_both(sum.x, tap, a.x, b.x), add_both(sum.y, tap, a.y, b.y), add_both(sum.z, tap, a.z, b.z),
                     add_both(sum.w, tap, a.w, b.w));
}

/// Sums along y of the four rows from y on. `load(i)`: the thread's numbers of row i, which change(rows, place) makes,
/// many at once, of those of the image; row k of them is that of place(k).
template <class Load, class Change>
__device__ void sum_rows(const FloatWindow& job, int y, const Load& load, const Change& change,
                         float4 (&sums)[float_step]) {
  // Row i of those above is in place i % 4 seen from y, as of those below: each tap moves them on by one.
  float4 above[float_step];
  float4 below[float_step];
#pragma unroll
  for (int r = 0; r < float_step; ++r) above[r] = load(y + r);
  change(above, [&](int r) { return y + r; });
#pragma unroll
  for (int r = 0; r < float_step; ++r) {
    below[r] = above[r];
    sums[r] = times(job.y[0], above[r]);
  }
#pragma unroll 1
  for (int done = 0; done < job.radius_y; done += float_step) {
    float4 new_above[float_step];
    float4 new_below[float_step];
    // All of them at once, also where the last are not needed: one load does not wait for another.
    const auto tap = [&](int t) { return min(done + t + 1, job.radius_y); };
#pragma unroll
    for (int t = 0; t < float_step; ++t) {
      new_above[t] = load(y - tap(t));
      new_below[t] = load(y + float_step - 1 + tap(t));
    }
    change(new_above, [&](int t) { return y - tap(t); });
    change(new_below, [&](int t) { return y + float_step - 1 + tap(t); });
#pragma unroll
    for (int t = 1; t <= float_step; ++t) {
      const int k = done + t;
      if (k > job.radius_y) break;
      above[(float_step - t) % float_step] = new_above[t - 1];
      below[(float_step - 1 + t) % float_step] = new_below[t - 1];
#pragma unroll
      for (int r = 0; r < float_step; ++r) {
        sums[r] = add_both(sums[r], job.y[k], above[(r + float_step - t) % float_step], below[(r + t) % float_step]);
      }
    }
  }
}

/// C + 1 vectors as numbers, of which the last C are new, or the first C.
template <int C>
struct NearNumbers {
  float numbers[4 * (C + 1)];

  __device__ void put(int quad, const float4& four) { put_four(four, numbers + 4 * quad); }
};

/// Four results of a row of sums along y; `own` is that of the thread.
template <int C>
__device__ float4 sum_along(const FloatWindow& job, const float4* own) {
  const float4 middle = *own;
  float4 sum = times(job.x[0], middle);
  float4 left_end = middle;
  float4 right_end = middle;
#pragma unroll 1
  for (int done = 0; done < job.radius_x; done += 4) {
    // Taps done + 1 to done + 4 see the C vectors that follow on either side.
    const int step = done / 4 * C;
    NearNumbers<C> left;
    NearNumbers<C> right;
    left.put(C, left_end);
    right.put(0, right_end);
#pragma unroll
    for (int i = 0; i < C; ++i) {
      left.put(i, own[i - C - step]);
      right.put(i + 1, own[step + 1 + i]);
    }
    left_end = own[-C - step];
    right_end = own[step + C];
#pragma unroll
    for (int t = 1; t <= 4; ++t) {
      const int k = done + t;
      if (k > job.radius_x) break;
      const float tap = job.x[k];
      const float* a = left.numbers + (4 - t) * C;
      const float* b = right.numbers + t * C;
      sum = make_float4(add_both(sum.x, tap, a[0], b[0]), add_both(sum.y, tap, a[1], b[1]),
                        add_both(sum.z, tap, a[2], b[2]), add_both(sum.w, tap, a[3], b[3]));
    }
  }
  return sum;
}

template <int C, class Ends>
__global__ void __launch_bounds__(most_float_threads, 2)
    float_window_kernel(const __grid_constant__ FloatWindow job, const __grid_constant__ Ends ends,
                        const float* __restrict__ from, float* __restrict__ to) {
  extern __shared__ float4 between[];  // [row][thread]
  __shared__ int above[far_float_rows];
  __shared__ int below[far_float_rows];
  const int own = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = own; i < far_float_rows; i += threads) {
    above[i] = static_cast<int>(border_index(job.border, -1 - i, job.height));
    below[i] = static_cast<int>(border_index(job.border, Index{job.height} + i, job.height));
  }
  __syncthreads();
  const Index part = blockIdx.x / job.tiles;
  const Index left = (blockIdx.x - part * job.tiles) * job.tile;
  const Index slice = part / job.strips;
  const int first = static_cast<int>(part - slice * job.strips) * job.strip_rows;
  const int last = min(first + job.strip_rows, job.height);
  const Index x = left - job.halo + Index{float_step} * own;
  const bool is_seen = x < job.row + job.halo;
  const bool is_making = own * float_step >= job.halo && x < min(left + job.tile, job.row);
  const QuadPlace place = QuadPlace::at<C>(job, x);
  const float* const image = from + slice * job.height * job.row;
  float* const target = to + slice * job.height * job.row + x;
  const auto load = [&](int y) {
    const int near = y < 0 ? above[-1 - y] : y < job.height ? y : below[y - job.height];
    return place.load(near < 0 ? nullptr : image + near * job.row, job.beyond);
  };
  const auto change = [&](float4(&rows)[float_step], const auto& row) {
    if (!ends.loads()) return;
    float numbers[4 * float_step];
#pragma unroll
    for (int k = 0; k < float_step; ++k) put_four(rows[k], numbers + 4 * k);
    ends.load(numbers);
#pragma unroll
    for (int k = 0; k < float_step; ++k) {
      rows[k] = four_of(numbers + 4 * k);
      if (job.border == Border::constant) place.put_beyond(row(k) < 0 || row(k) >= job.height, job.beyond, rows[k]);
    }
  };
#pragma unroll 1
  for (int y = first; y < last; y += float_step) {
    float4 sums[float_step] = {};
    if (is_seen) sum_rows(job, y, load, change, sums);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < float_step; ++r) between[r * threads + own] = sums[r];
    __syncthreads();
    if (!is_making) continue;
#pragma unroll
    for (int r = 0; r < float_step; ++r) {
      if (y + r >= last) break;
      float numbers[4];
      put_four(sum_along<C>(job, between + r * threads + own), numbers);
      ends.store(numbers);
      float* const result = target + Index{y + r} * job.row;
      if (job.vectors) {
        *reinterpret_cast<float4*>(result) = four_of(numbers);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (x + j < job.row) result[j] = numbers[j];
        }
      }
    }
  }
}

}  // namespace whorl::backend::cuda

// Separable windows over floats. A block goes down a strip of the rows, eight rows at a time. A thread has two columns
// and keeps their rows in shared memory, each read once. It makes eight sums along y of both and shares them with the
// other threads; in the pass along x a thread makes four neighboring results of a row. The columns at both ends make no
// results: they are neighbors of the others.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/ends.cuh"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

inline constexpr int most_float_threads = 256;
inline constexpr int largest_float_radius = 32;
inline constexpr int float_rows = 8;     // of a step
inline constexpr int float_columns = 2;  // of a thread
inline constexpr int float_quad = 4;

struct FloatWindow {
  Index row;  // numbers
  Index slices;
  int height;
  int tiles, tile;  // blocks across a row, and results of a row in one
  int strips, strip_rows;
  int radius_y, radius_x;
  int held;      // rows in shared memory, of which a step sees float_rows + 2 radius_y
  int halo;      // numbers to both sides of a tile
  bool vectors;  // rows are whole vectors
  Border border;
  float beyond;
  float y[largest_float_radius + 1], x[largest_float_radius + 1];  // taps from the middle on
};

/// Rows beyond the image that a block may read.
inline constexpr int far_float_rows = largest_float_radius + 2 * float_rows;

/// The places of a thread's two columns.
struct PairPlace {
  Index first;      // the first of them in the row
  bool is_vector;   // both are in the image, as a vector
  Index places[2];  // otherwise the place of each; -1: constant

  template <int C>
  __device__ static PairPlace at(const FloatWindow& job, Index first) {
    PairPlace result;
    result.first = first;
    result.is_vector = job.vectors && first >= 0 && first + float_columns <= job.row;
    const Index lead = Index{largest_float_radius + 1} * 4;  // pixels, so that no place is below 0
#pragma unroll
    for (int j = 0; j < float_columns; ++j) {
      const Index place = first + j + lead * C;
      const Index pixel = border_index(job.border, place / C - lead, job.row / C);
      result.places[j] = pixel < 0 ? -1 : pixel * C + place % C;
    }
    return result;
  }

  /// Starts copying the thread's two columns of a row; nullptr: a row of the constant border.
  __device__ void load(const float* row, float beyond, float2* to) const {
    if (row != nullptr && is_vector) {
      copy_8_bytes(to, row + first);
    } else {
      const auto one = [&](Index place) { return row == nullptr || place < 0 ? beyond : __ldg(row + place); };
      *to = make_float2(one(places[0]), one(places[1]));
    }
  }
};

__device__ inline float add_both(float sum, float tap, float a, float b) {
  return __fmaf_rn(tap, __fadd_rn(a, b), sum);
}

/// Sums along y of eight rows. `row(i)`: the thread's columns of row i, seen from the first of the eight.
template <class Row>
__device__ __forceinline__ void sum_rows(const FloatWindow& job, const Row& row, float2 (&sums)[float_rows]) {
  // Row i above, and likewise row i below, is in place i % 8: each tap moves the rows on by one.
  float2 above[float_rows];
  float2 below[float_rows];
#pragma unroll
  for (int r = 0; r < float_rows; ++r) {
    above[r] = row(r);
    below[r] = above[r];
    sums[r] = make_float2(__fmul_rn(job.y[0], above[r].x), __fmul_rn(job.y[0], above[r].y));
  }
#pragma unroll 1
  for (int done = 0; done < job.radius_y; done += float_rows) {
#pragma unroll
    for (int t = 1; t <= float_rows; ++t) {
      const int k = done + t;
      if (k > job.radius_y) break;
      above[(float_rows - t) % float_rows] = row(-k);
      below[(float_rows - 1 + t) % float_rows] = row(float_rows - 1 + k);
#pragma unroll
      for (int r = 0; r < float_rows; ++r) {
        const float2& a = above[(r + float_rows - t) % float_rows];
        const float2& b = below[(r + t) % float_rows];
        sums[r] = make_float2(add_both(sums[r].x, job.y[k], a.x, b.x), add_both(sums[r].y, job.y[k], a.y, b.y));
      }
    }
  }
}

__device__ inline float4 times(float tap, const float4& a) {
  return make_float4(__fmul_rn(tap, a.x), __fmul_rn(tap, a.y), __fmul_rn(tap, a.z), __fmul_rn(tap, a.w));
}

/// C + 1 vectors as numbers, of which the last C are new, or the first C.
template <int C>
struct NearNumbers {
  float numbers[4 * (C + 1)];

  __device__ void put(int quad, const float4& four) {
    numbers[4 * quad] = four.x;
    numbers[4 * quad + 1] = four.y;
    numbers[4 * quad + 2] = four.z;
    numbers[4 * quad + 3] = four.w;
  }
};

/// Four results in each of several rows of sums along y; `own` is the thread's place in the first row, `pitch` leads to
/// the next row.
template <int C, int kRows>
__device__ void sum_along(const FloatWindow& job, const float4* own, int pitch, float4 (&sums)[kRows]) {
  float4 left_end[kRows];
  float4 right_end[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    left_end[r] = own[r * pitch];
    right_end[r] = left_end[r];
    sums[r] = times(job.x[0], left_end[r]);
  }
  // Taps done + 1 to done + `count` use the next C vectors on either side.
  const auto take = [&](int done, int count) {
    const int step = done / float_quad * C;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float4* row = own + r * pitch;
      NearNumbers<C> left;
      NearNumbers<C> right;
      left.put(C, left_end[r]);
      right.put(0, right_end[r]);
#pragma unroll
      for (int i = 0; i < C; ++i) {
        left.put(i, row[i - C - step]);
        right.put(i + 1, row[step + 1 + i]);
      }
      left_end[r] = row[-C - step];
      right_end[r] = row[step + C];
#pragma unroll
      for (int t = 1; t <= float_quad; ++t) {
        if (t > count) break;
        const float tap = job.x[done + t];
        const float* a = left.numbers + (float_quad - t) * C;
        const float* b = right.numbers + t * C;
        sums[r] = make_float4(add_both(sums[r].x, tap, a[0], b[0]), add_both(sums[r].y, tap, a[1], b[1]),
                              add_both(sums[r].z, tap, a[2], b[2]), add_both(sums[r].w, tap, a[3], b[3]));
      }
    }
  };
  int done = 0;
#pragma unroll 1
  for (; done + float_quad <= job.radius_x; done += float_quad) take(done, float_quad);
  if (done < job.radius_x) take(done, job.radius_x - done);
}

__device__ inline void store_quad(const FloatWindow& job, const float (&numbers)[float_quad], Index x, float* to) {
  if (job.vectors) {
    *reinterpret_cast<float4*>(to) = make_float4(numbers[0], numbers[1], numbers[2], numbers[3]);
  } else {
#pragma unroll
    for (int j = 0; j < float_quad; ++j) {
      if (x + j < job.row) to[j] = numbers[j];
    }
  }
}

template <int C, class Ends>
__global__ void __launch_bounds__(most_float_threads, 3)
    float_window_kernel(const __grid_constant__ FloatWindow job, const __grid_constant__ Ends ends,
                        const float* __restrict__ from, float* __restrict__ to) {
  extern __shared__ float4 between[];  // [row][quad], then the rows that are held: [row][thread]
  __shared__ int above[far_float_rows];
  __shared__ int below[far_float_rows];
  const int own = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int quads = threads * float_columns / float_quad;
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
  const float* const image = from + slice * job.height * job.row;

  const Index column = left - job.halo + Index{float_columns} * own;
  const bool is_seen = column < job.row + job.halo;
  const PairPlace place = PairPlace::at<C>(job, column);
  float2* const held = reinterpret_cast<float2*>(between + float_rows * quads) + own;
  int start = 0;  // place of the first row that a step needs
  const auto slot_of = [&](int i) {
    const int slot = start + i;
    return slot < job.held ? slot : slot - job.held;
  };
  // The rows from y on become the step's rows from i on.
  const auto load_rows = [&](int y, int i) {
    if (place.is_vector && y >= 0 && y + float_rows <= job.height) {
      const float* row = image + y * job.row + place.first;
#pragma unroll
      for (int r = 0; r < float_rows; ++r) copy_8_bytes(held + slot_of(i + r) * threads, row + r * job.row);
      return;
    }
#pragma unroll 1
    for (int r = 0; r < float_rows; ++r) {
      const int at = y + r;
      const int near = at < 0 ? above[-1 - at] : at < job.height ? at : below[at - job.height];
      place.load(near < 0 ? nullptr : image + near * job.row, job.beyond, held + slot_of(i + r) * threads);
    }
  };
  // Applies the point operations of the load to these rows.
  const auto change_rows = [&](int y, int i) {
    float numbers[float_rows * float_columns];
#pragma unroll
    for (int r = 0; r < float_rows; ++r) {
      const float2 pair = held[slot_of(i + r) * threads];
      numbers[2 * r] = pair.x;
      numbers[2 * r + 1] = pair.y;
    }
    ends.load(numbers);
#pragma unroll
    for (int r = 0; r < float_rows; ++r) {
      const bool outside = job.border == Border::constant && (y + r < 0 || y + r >= job.height);
      held[slot_of(i + r) * threads] = make_float2(outside || place.places[0] < 0 ? job.beyond : numbers[2 * r],
                                                   outside || place.places[1] < 0 ? job.beyond : numbers[2 * r + 1]);
    }
  };
  const int seen = float_rows + 2 * job.radius_y;

  // A thread makes the same quad of every second row.
  const int quad = own % quads;
  const Index x = left - job.halo + Index{float_quad} * quad;
  const bool is_making = quad * float_quad >= job.halo && x < min(left + job.tile, job.row);
  float* const target = to + slice * job.height * job.row + x;

  if (is_seen) {
#pragma unroll 1
    for (int i = 0; i < job.held; i += float_rows) load_rows(first - job.radius_y + i, i);
  }
  close_copy_group();
#pragma unroll 1
  for (int y = first; y < last; y += float_rows) {
    float2 sums[float_rows] = {};
    wait_for_copies<0>();
    if (is_seen) {
      if (ends.loads() && y == first) {
#pragma unroll 1
        for (int i = 0; i < job.held; i += float_rows) change_rows(first - job.radius_y + i, i);
      } else if (ends.loads()) {
        change_rows(y + job.radius_y, seen - float_rows);
      }
      sum_rows(
          job, [&](int i) { return held[slot_of(job.radius_y + i) * threads]; }, sums);
      if (y + float_rows < last) load_rows(y + float_rows + job.radius_y, seen);
      start = slot_of(float_rows);
    }
    close_copy_group();
    __syncthreads();
#pragma unroll
    for (int r = 0; r < float_rows; ++r) reinterpret_cast<float2*>(between + r * quads)[own] = sums[r];
    __syncthreads();
    if (!is_making) continue;
    constexpr int at_once = C <= 2 ? 2 : 1;
#pragma unroll
    for (int step = 0; step < float_rows; step += 2 * at_once) {
      const int i = step + own / quads;
      float4 results[at_once];
      sum_along<C>(job, between + i * quads + quad, 2 * quads, results);
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        const int r = i + 2 * j;
        if (y + r >= last) continue;
        float numbers[float_quad] = {results[j].x, results[j].y, results[j].z, results[j].w};
        ends.store(numbers);
        store_quad(job, numbers, x, target + Index{y + r} * job.row);
      }
    }
  }
}

}  // namespace whorl::backend::cuda

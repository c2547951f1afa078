// Resizing with two or four taps along each axis. A thread goes down some columns of the result, and holds the old rows
// that a new row needs, already resized along x.
#pragma once

#include "filter/src/cuda/geometry/enlarge_bytes.cuh"
#include "filter/src/kernels/multiply_add.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

inline constexpr int enlarge_numbers = 4;  // of a thread in a row
inline constexpr int shrink_threads = 256;

template <class T>
struct NumbersJob {
  kernels::ResizeJob size;
  kernels::ResizeTaps<T> rows, columns;
  int strip_rows;
  Index length, old_length;  // of rows, in numbers
};

/// The old numbers from which the numbers of a row are made, which are `apart` numbers from each other, and their
/// weights.
template <class T, int taps>
struct NearColumns {
  Index places[enlarge_numbers];
  typename kernels::ResizeNumbers<T>::Weight weights[enlarge_numbers][taps];

  __device__ NearColumns(const NumbersJob<T>& job, Index first, int apart) {
    const int channels = job.size.channels;
#pragma unroll
    for (int n = 0; n < enlarge_numbers; ++n) {
      const Index i = min(first + n * apart, job.length - 1);
      const Index x = i / channels;
      places[n] = job.columns.first[x] * Index{channels} + (i - x * channels);
#pragma unroll
      for (int t = 0; t < taps; ++t) weights[n][t] = job.columns.weights[x * taps + t];
    }
  }
};

/// For at least as many columns and rows as before.
template <class T, int taps, class Ends>
__global__ void __launch_bounds__(enlarge_threads)
    enlarge_kernel(const __grid_constant__ NumbersJob<T> job, const __grid_constant__ Ends ends,
                   const T* __restrict__ from, T* __restrict__ to) {
  using Numbers = kernels::ResizeNumbers<T>;
  using Sum = typename Numbers::Sum;
  using Weight = typename Numbers::Weight;
  struct alignas(sizeof(Weight) * taps) Down {
    Weight weights[taps];
  };
  __shared__ RingMemory memory[enlarge_threads / 32];
  __shared__ int aboves[most_enlarge_rows + 1];  // of each new row the first old one, from the strip's first on
  __shared__ Down downs[most_enlarge_rows + 1];
  ends.prepare();
  const kernels::ResizeJob& size = job.size;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  constexpr int warp_numbers = 32 * enlarge_numbers;
  const Index warp_number = blockIdx.x * Index{enlarge_threads * enlarge_numbers} + warp * warp_numbers;
  const bool idle = warp_number >= job.length;
  const Index first = warp_number + threadIdx.x % 32;
  const auto own = static_cast<int>(min(job.length - first, Index{warp_numbers}));  // numbers from there on
  const NearColumns<T, taps> near(job, first, 32);
  const auto [begin, last] = range_of_warp(near.places);
  const auto step = static_cast<unsigned>(size.channels) * static_cast<unsigned>(sizeof(T));
  unsigned places[enlarge_numbers];
#pragma unroll
  for (int n = 0; n < enlarge_numbers; ++n) places[n] = static_cast<unsigned>((near.places[n] - begin) * sizeof(T));
  constexpr Index bytes = sizeof(T);
  RowRing ring(memory[warp],
               {reinterpret_cast<const std::uint8_t*>(from), job.old_length * bytes, size.slices * size.old_height},
               begin * bytes, static_cast<int>((last - begin + (taps - 1) * size.channels + 1) * bytes));
  const Index strips = divide_up(size.height, job.strip_rows);
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const auto [slice, top, rows, first_row, old_rows] = row_strip<taps>(job, strip, strips);
    __syncthreads();
    if (!idle) ring.start(slice * size.old_height + first_row, old_rows);
    for (int i = static_cast<int>(threadIdx.x); i <= rows; i += enlarge_threads) {
      aboves[i] = i < rows ? job.rows.first[top + i] - first_row : old_rows;
#pragma unroll
      for (int t = 0; t < taps; ++t)
        downs[i].weights[t] = i < rows ? job.rows.weights[(top + i) * taps + t] : Weight{0};
    }
    __syncthreads();
    if (idle) continue;
    T* target = to + (slice * size.height + top) * job.length + first;
    int y = 0;
    int next = aboves[0];
    Down down = downs[0];
    typename Numbers::Middle held[taps][enlarge_numbers];  // the last old rows, as a ring
#pragma unroll 1
    for (int taken = 0; taken < old_rows; taken += taps) {
#pragma unroll
      for (int phase = 0; phase < taps; ++phase) {
        if (taken + phase == old_rows) break;
        const std::uint8_t* const row = reinterpret_cast<const std::uint8_t*>(memory[warp]) + ring.take();
#pragma unroll
        for (int n = 0; n < enlarge_numbers; ++n) {
          Sum sum = 0;
#pragma unroll
          for (int t = 0; t < taps; ++t) {
            const T number = *reinterpret_cast<const T*>(row + places[n] + t * step);
            sum = kernels::multiply_add(static_cast<Sum>(near.weights[n][t]), static_cast<Sum>(number), sum);
          }
          held[phase][n] = kernels::resize_middle<T>(sum);
        }
#pragma unroll 1
        for (; next == taken + phase + 1 - taps; target += job.length) {
          Sum sums[enlarge_numbers] = {};
#pragma unroll
          for (int t = 0; t < taps; ++t) {
#pragma unroll
            for (int n = 0; n < enlarge_numbers; ++n) {
              sums[n] = kernels::multiply_add(static_cast<Sum>(down.weights[t]),
                                              static_cast<Sum>(held[(phase + 1 + t) % taps][n]), sums[n]);
            }
          }
          ++y;
          next = aboves[y];
          down = downs[y];
#pragma unroll
          for (int n = 0; n < enlarge_numbers; ++n) {
            if (n * 32 >= own) continue;
            T result = kernels::resize_result<T>(sums[n], size.weight_bits);
            ends.store(result);
            target[n * 32] = result;
          }
        }
      }
    }
  }
}

/// Sums over old rows first, because few of them are used twice.
template <class T, int taps, class Ends>
__global__ void __launch_bounds__(shrink_threads)
    shrink_kernel(const __grid_constant__ NumbersJob<T> job, const __grid_constant__ Ends ends,
                  const T* __restrict__ from, T* __restrict__ to) {
  using Sum = typename kernels::ResizeNumbers<T>::Sum;
  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  const kernels::ResizeJob& size = job.size;
  const Index first = blockIdx.x * Index{shrink_threads * enlarge_numbers} + threadIdx.x;
  const NearColumns<T, taps> near(job, first, shrink_threads);
  const Index strips = divide_up(size.height, job.strip_rows);
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const Index slice = strip / strips;
    const Index top = (strip - slice * strips) * job.strip_rows;
    const Index bottom = min(top + job.strip_rows, size.height);
    for (Index y = top; y < bottom; ++y) {
      const T* const old = from + (slice * size.old_height + job.rows.first[y]) * job.old_length;
      const auto* down = job.rows.weights + y * taps;
      T* const target = to + (slice * size.height + y) * job.length + first;
      Sum sums[enlarge_numbers] = {};
#pragma unroll
      for (int s = 0; s < taps; ++s) {
        Sum inner[enlarge_numbers] = {};
#pragma unroll
        for (int t = 0; t < taps; ++t) {
          const auto weight = static_cast<Sum>(__ldg(down + t));
#pragma unroll
          for (int n = 0; n < enlarge_numbers; ++n) {
            const Sum number = __ldg(old + t * job.old_length + near.places[n] + s * size.channels);
            inner[n] = kernels::multiply_add(weight, number, inner[n]);
          }
        }
#pragma unroll
        for (int n = 0; n < enlarge_numbers; ++n) {
          const Sum middle = kernels::resize_middle<T>(inner[n]);
          sums[n] = kernels::multiply_add(static_cast<Sum>(near.weights[n][s]), middle, sums[n]);
        }
      }
#pragma unroll
      for (int n = 0; n < enlarge_numbers; ++n) {
        if (first + n * shrink_threads < job.length) {
          T result = kernels::resize_result<T>(sums[n], size.weight_bits);
          ends.store(result);
          target[n * shrink_threads] = result;
        }
      }
    }
  }
}

}  // namespace whorl::backend::cuda

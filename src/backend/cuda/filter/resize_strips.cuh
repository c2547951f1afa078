// Resizing by two or four old rows and columns for each number: a thread goes down some columns of the result, and
// holds what the old rows are with their new columns.
#pragma once

#include "backend/cuda/filter/enlarge_bytes.cuh"

namespace whorl::backend::cuda {

inline constexpr int numbers_threads = 256;
inline constexpr int enlarge_numbers = 4;  // of a thread in a row
inline constexpr Index enlarge_across = Index{numbers_threads} * enlarge_numbers;

template <class T>
struct NumbersJob {
  kernels::ResizeJob size;
  kernels::ResizeTaps<T> rows, columns;
  Index strip_rows;
};

/// Where numbers of a row are made of, which lie `numbers_threads` apart.
template <class T, int taps>
struct NearColumns {
  Index places[enlarge_numbers];
  typename kernels::ResizeNumbers<T>::Weight weights[enlarge_numbers][taps];

  __device__ NearColumns(const NumbersJob<T>& job, Index first) {
    const int channels = job.size.channels;
#pragma unroll
    for (int n = 0; n < enlarge_numbers; ++n) {
      const Index i = min(first + n * numbers_threads, job.size.width * channels - 1);
      const Index x = i / channels;
      places[n] = job.columns.first[x] * Index{channels} + (i - x * channels);
#pragma unroll
      for (int t = 0; t < taps; ++t) weights[n][t] = job.columns.weights[x * taps + t];
    }
  }
};

template <class T, int taps>
__global__ void __launch_bounds__(numbers_threads)
    enlarge_kernel(const __grid_constant__ NumbersJob<T> job, const T* __restrict__ from, T* __restrict__ to) {
  using Numbers = kernels::ResizeNumbers<T>;
  using Sum = typename Numbers::Sum;
  const kernels::ResizeJob& size = job.size;
  const int channels = size.channels;
  const Index length = size.width * channels;
  const Index old_length = size.old_width * channels;
  const Index first = blockIdx.x * enlarge_across + threadIdx.x;
  const NearColumns<T, taps> near(job, first);
  const Index strips = (size.height + job.strip_rows - 1) / job.strip_rows;
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const Index slice = strip / strips;
    const Index top = (strip - slice * strips) * job.strip_rows;
    const Index bottom = min(top + job.strip_rows, size.height);
    const T* const image = from + slice * size.old_height * old_length;
    T* target = to + (slice * size.height + top) * length + first;
    typename Numbers::Middle held[enlarge_numbers][taps] = {};  // old rows up to `have`
    T next[enlarge_numbers][taps];                              // of the old row after those, on their way
    const auto load = [&](Index row) {
      const T* old = image + min(row, size.old_height - 1) * old_length;
#pragma unroll
      for (int n = 0; n < enlarge_numbers; ++n) {
#pragma unroll
        for (int t = 0; t < taps; ++t) next[n][t] = __ldg(old + near.places[n] + t * channels);
      }
    };
    Index have = job.rows.first[top] - 1;
    load(have + 1);
#pragma unroll 1
    for (Index y = top; y < bottom; ++y, target += length) {
      const Index above = job.rows.first[y];
      if (above > have + 1) {
        have = above - 1;
        load(above);
      }
#pragma unroll 1
      while (have < above + taps - 1) {
#pragma unroll
        for (int n = 0; n < enlarge_numbers; ++n) {
          Sum sum = 0;
#pragma unroll
          for (int t = 0; t < taps; ++t) sum += static_cast<Sum>(near.weights[n][t]) * static_cast<Sum>(next[n][t]);
#pragma unroll
          for (int t = 1; t < taps; ++t) held[n][t - 1] = held[n][t];
          held[n][taps - 1] = kernels::resize_middle<T>(sum);
        }
        ++have;
        load(have + 1);
      }
      const auto* down = job.rows.weights + y * taps;
      Sum sums[enlarge_numbers] = {};
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        const auto weight = static_cast<Sum>(__ldg(down + t));
#pragma unroll
        for (int n = 0; n < enlarge_numbers; ++n) sums[n] += weight * static_cast<Sum>(held[n][t]);
      }
#pragma unroll
      for (int n = 0; n < enlarge_numbers; ++n) {
        if (first + n * numbers_threads < length) {
          target[n * numbers_threads] = kernels::resize_result<T>(sums[n], size.weight_bits);
        }
      }
    }
  }
}

/// Sums over old rows first, which are hardly seen twice.
template <class T, int taps>
__global__ void __launch_bounds__(numbers_threads)
    shrink_kernel(const __grid_constant__ NumbersJob<T> job, const T* __restrict__ from, T* __restrict__ to) {
  using Sum = typename kernels::ResizeNumbers<T>::Sum;
  const kernels::ResizeJob& size = job.size;
  const Index length = size.width * size.channels;
  const Index old_length = size.old_width * size.channels;
  const Index first = blockIdx.x * enlarge_across + threadIdx.x;
  const NearColumns<T, taps> near(job, first);
  const Index strips = (size.height + job.strip_rows - 1) / job.strip_rows;
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const Index slice = strip / strips;
    const Index top = (strip - slice * strips) * job.strip_rows;
    const Index bottom = min(top + job.strip_rows, size.height);
    for (Index y = top; y < bottom; ++y) {
      const T* const old = from + (slice * size.old_height + job.rows.first[y]) * old_length;
      const auto* down = job.rows.weights + y * taps;
      T* const target = to + (slice * size.height + y) * length + first;
      Sum sums[enlarge_numbers] = {};
#pragma unroll
      for (int s = 0; s < taps; ++s) {
        Sum inner[enlarge_numbers] = {};
#pragma unroll
        for (int t = 0; t < taps; ++t) {
          const auto weight = static_cast<Sum>(__ldg(down + t));
#pragma unroll
          for (int n = 0; n < enlarge_numbers; ++n) {
            inner[n] += weight * static_cast<Sum>(__ldg(old + t * old_length + near.places[n] + s * size.channels));
          }
        }
#pragma unroll
        for (int n = 0; n < enlarge_numbers; ++n) {
          sums[n] += static_cast<Sum>(near.weights[n][s]) * static_cast<Sum>(kernels::resize_middle<T>(inner[n]));
        }
      }
#pragma unroll
      for (int n = 0; n < enlarge_numbers; ++n) {
        if (first + n * numbers_threads < length) {
          target[n * numbers_threads] = kernels::resize_result<T>(sums[n], size.weight_bits);
        }
      }
    }
  }
}

}  // namespace whorl::backend::cuda

// Warps that go down the rows of gray images of uint16 or float32 to find their edges, on an NVIDIA GPU.
#pragma once

#include "filter/src/cuda/canny/canny_float_lanes.cuh"
#include "filter/src/cuda/canny/canny_march.cuh"
#include "filter/src/cuda/points/point_words.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda::canny_march {

using canny_lanes::float_pixels;

// All but the first and the last lane find edges; two of them write a byte.
inline constexpr int float_columns = finders * float_pixels;
inline constexpr int float_blocks_at_once = 4;

template <class T>
struct FloatMarch {
  March march;
  kernels::CannyPlan plan;
  const T* pixels;
};

template <class T>
FloatMarch<T> float_march_over(const ImageFormat& format, const kernels::CannyPlan& plan, const T* pixels,
                               std::uint32_t* mask, std::uint32_t* seeds) {
  March march = march_over(format, plan, nullptr, mask, seeds);
  constexpr int strip_bytes = float_columns / 8;
  march.strips = divide_up(march.row_bytes, strip_bytes);
  march.rules = {plan.low, plan.high, plan.squared, plan.first_of_ties};
  return {march, plan, pixels};
}

// A lane's pixels of a row.
template <class T>
class FloatPixels {
 public:
  struct alignas(float_pixels * sizeof(T)) Raw {
    T values[float_pixels];
  };

  __device__ FloatPixels(const FloatMarch<T>& job, const T* slice, int x, int* columns)
      : job_(job),
        slice_(slice),
        x_(x),
        columns_(columns),
        is_inside_(x >= 0 && x + float_pixels <= job.march.width && job.march.in_words) {
    if (is_inside_) return;
    for (int i = 0; i < float_pixels; ++i) {
      const bool is_seen = x + i >= -beyond && x + i < job.march.width + beyond;
      columns[i] = is_seen ? near_index(job.march.border, x + i, job.march.width) : 0;
    }
  }

  __device__ Raw load(int y) const {
    const March& march = job_.march;
    const int row = y >= 0 && y < march.height ? y : near_index(march.border, y, march.height);
    const T* const start = slice_ + Index{row} * march.width;
    if (is_inside_ && row >= 0) return *reinterpret_cast<const Raw*>(start + x_);
    Raw raw;
#pragma unroll
    for (int i = 0; i < float_pixels; ++i) {
      const bool is_beyond = row < 0 || columns_[i] < 0;
      raw.values[i] = is_beyond ? static_cast<T>(job_.plan.border_value) : start[columns_[i]];
    }
    return raw;
  }

  static __device__ void lights(const Raw& raw, float (&to)[float_pixels]) {
#pragma unroll
    for (int i = 0; i < float_pixels; ++i) {
      if constexpr (std::is_same_v<T, float>) {
        to[i] = raw.values[i];
      } else {
        to[i] = float_of(raw.values[i]);
      }
    }
  }

 private:
  const FloatMarch<T>& job_;
  const T* slice_;
  int x_;
  int* columns_;
  bool is_inside_;
};

template <class T, int radius>
__global__ void __launch_bounds__(threads, float_blocks_at_once)
    thin_floats_kernel(const __grid_constant__ FloatMarch<T> job) {
  constexpr int window = 2 * radius + 1;
  constexpr int unrolled = radius == 0 ? 2 : window;
  const March& march = job.march;
  const auto lane = static_cast<int>(threadIdx.x) % warp;
  const Place place(march, float_columns);
  if (place.is_beyond) return;
  const int x = place.x + (lane - 1) * float_pixels;
  const bool is_inner = place.x > 0 && place.x + float_columns + float_pixels <= march.width;
  // Odd lanes begin at whole bytes.
  const bool finds = lane % 2 == 1 && lane + 1 < warp && x / 8 < march.row_bytes;
  const Index byte = (place.slice * march.height + place.first) * march.row_bytes + x / 8;
  std::uint8_t* mask = march.mask + byte;
  std::uint8_t* seeds = march.seeds + byte;

  __shared__ int columns[threads][float_pixels];
  const FloatPixels<T> pixels(job, job.pixels + place.slice * march.height * march.width, x, columns[threadIdx.x]);
  canny_lanes::FloatLines lines;
  float across[window][float_pixels];
  int y = place.first - 2 - radius;
  typename FloatPixels<T>::Raw first[window];
#pragma unroll
  for (int i = 0; i < window; ++i) first[i] = pixels.load(y + i);
#pragma unroll
  for (int i = 0; i + 1 < window; ++i) {
    float own[float_pixels];
    FloatPixels<T>::lights(first[i], own);
    canny_lanes::smooth_across(job.plan, own, across[i]);
  }
  y += window - 1;
  typename FloatPixels<T>::Raw next = first[window - 1];
  for (int row = place.first - 2;; row += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
      if (row + i == place.last + 2) return;
      float levels[float_pixels];
      FloatPixels<T>::lights(next, levels);
      next = pixels.load(++y);
      if constexpr (radius > 0) {
        canny_lanes::smooth_across(job.plan, levels, across[(i + window - 1) % window]);
        canny_lanes::smooth_down(job.plan, across, i, levels);
      }
      const int middle = row + i - 1;
      const bool is_row = middle >= 0 && middle < march.height;
      const canny_lanes::Edges found = lines.take(march.rules, levels, is_inner && is_row,
                                                  [&](int k) { return is_row && x + k >= 0 && x + k < march.width; });
      const std::uint32_t own = found.lines | found.strong << 8;
      const std::uint32_t both = own | __shfl_down_sync(canny_lanes::all_lanes, own, 1) << float_pixels;
      if (row + i - 2 >= place.first) {
        if (finds) {
          *mask = static_cast<std::uint8_t>(both);
          *seeds = static_cast<std::uint8_t>(both >> 8);
        }
        mask += march.row_bytes;
        seeds += march.row_bytes;
      }
    }
  }
}

}  // namespace whorl::backend::cuda::canny_march

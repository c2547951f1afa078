// Edges of gray images with float levels: a warp goes down the rows, and a lane has four pixels of a row. The numbers
// are those of canny_steps.hpp, on an NVIDIA GPU. No product is fused with a sum.
#pragma once

#include <limits>

#include "filter/src/cuda/canny/canny_comparison.cuh"

namespace whorl::backend::cuda::canny_lanes {

inline constexpr int float_pixels = 4;
inline constexpr int float_window = 5;

/// The Gaussian of one pixel from those at distance 0, 1 and 2.
inline __device__ float smoothed(const CannyPlan& plan, float far_before, float before, float here, float after,
                                 float far_after) {
  const float near = __fmul_rn(__fadd_rn(before, after), plan.weights[1]);
  const float far = __fmul_rn(__fadd_rn(far_before, far_after), plan.weights[2]);
  return __fadd_rn(__fadd_rn(__fmul_rn(here, plan.weights[0]), near), far);
}

/// A row after the Gaussian along x.
inline __device__ void smooth_across(const CannyPlan& plan, const float (&own)[float_pixels],
                                     float (&to)[float_pixels]) {
  constexpr int reach = float_window / 2;
  float pixels[float_pixels + 2 * reach];
#pragma unroll
  for (int i = 0; i < float_pixels; ++i) pixels[i + reach] = own[i];
#pragma unroll
  for (int i = 0; i < reach; ++i) {
    pixels[i] = __shfl_up_sync(all_lanes, own[float_pixels - reach + i], 1);
    pixels[float_pixels + reach + i] = __shfl_down_sync(all_lanes, own[i], 1);
  }
#pragma unroll
  for (int i = 0; i < float_pixels; ++i) {
    to[i] = smoothed(plan, pixels[i], pixels[i + 1], pixels[i + 2], pixels[i + 3], pixels[i + 4]);
  }
}

/// Levels from five rows of smooth_along, which begin at the place `first` of the ring.
inline __device__ void smooth_down(const CannyPlan& plan, const float (&rows)[float_window][float_pixels], int first,
                                   float (&levels)[float_pixels]) {
  const auto row = [&](int k) -> const float(&)[float_pixels] { return rows[(first + k) % float_window]; };
#pragma unroll
  for (int i = 0; i < float_pixels; ++i) {
    levels[i] = smoothed(plan, row(0)[i], row(1)[i], row(2)[i], row(3)[i], row(4)[i]);
  }
}

/// Goes down the rows of levels. The pixels of the first and the last lane of a warp lack neighbors.
class FloatLines {
 public:
  /// Takes row y, and finds the edges of row y - 2. `is_inside` says where row y - 1 is in the image.
  template <class Inside>
  __device__ Edges take(const EdgeRules& rules, const float (&row)[float_pixels], bool all_inside,
                        const Inside& is_inside) {
    float own[float_pixels];
    GradientSigns signs;
    find_gradients(rules, row, own, signs);
    if (!all_inside) {
#pragma unroll
      for (int i = 0; i < float_pixels; ++i) own[i] = is_inside(i) ? own[i] : 0;
    }
    // No number compares greater than NaN.
    float lengths[float_pixels + 2];
#pragma unroll
    for (int i = 0; i < float_pixels; ++i) lengths[i + 1] = fminf(own[i], std::numeric_limits<float>::infinity());
    lengths[0] = __shfl_up_sync(all_lanes, lengths[float_pixels], 1);
    lengths[float_pixels + 1] = __shfl_down_sync(all_lanes, lengths[1], 1);
    return comparison_.take(rules, own, lengths, signs);
  }

 private:
  __device__ void find_gradients(const EdgeRules& rules, const float (&row)[float_pixels],
                                 float (&lengths)[float_pixels], GradientSigns& signs) {
    float after[float_pixels + 2];
#pragma unroll
    for (int i = 0; i < float_pixels; ++i) after[i + 1] = row[i];
    after[0] = __shfl_up_sync(all_lanes, row[float_pixels - 1], 1);
    after[float_pixels + 1] = __shfl_down_sync(all_lanes, row[0], 1);
    float down[float_pixels + 2];
#pragma unroll
    for (int i = 0; i < float_pixels + 2; ++i) {
      down[i] = __fsub_rn(after[i], before_[i]);
      before_[i] = here_[i];
      here_[i] = after[i];
    }
    signs = {};
#pragma unroll
    for (int i = float_pixels - 1; i >= 0; --i) {
      const float across = __fsub_rn(after[i + 2], after[i]);
      const float sides_x = __fadd_rn(across_before_[i], across);
      const float x = __fadd_rn(sides_x, __fadd_rn(across_here_[i], across_here_[i]));
      const float y = __fadd_rn(__fadd_rn(down[i], down[i + 2]), __fadd_rn(down[i + 1], down[i + 1]));
      across_before_[i] = across_here_[i];
      across_here_[i] = across;
      const float width = fabsf(x);
      const float height = fabsf(y);
      lengths[i] = rules.squared ? __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) : __fadd_rn(width, height);
      const float flat = __fmul_rn(width, kernels::tangent_of_sector);
      push_longer(signs.x, flat, height);
      push_longer(signs.y, height, __fadd_rn(flat, __fadd_rn(width, width)));
      push_sign(signs.rises, __uint_as_float(__float_as_uint(x) ^ __float_as_uint(y)));
    }
  }

  // Levels of the two rows before, and their differences along x.
  float before_[float_pixels + 2] = {};
  float here_[float_pixels + 2] = {};
  float across_before_[float_pixels] = {};
  float across_here_[float_pixels] = {};
  EdgeComparison<float_pixels> comparison_;
};

}  // namespace whorl::backend::cuda::canny_lanes

// Edges of uint8 images: a warp goes down the rows, and a lane has eight pixels of a row. The numbers are those of
// canny_steps.hpp, on an NVIDIA GPU. Here they are exact floats and halves, of which a GPU computes twice as many as
// integers.
//
// Halves hold gray levels and gradients as whole multiples of their smallest number: 2^-24, which floats keep.
#pragma once

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "filter/src/cuda/canny/canny_comparison.cuh"

namespace whorl::backend::cuda::canny_lanes {

inline constexpr int lane_pixels = 8;
/// The distance of two pixels in one word: one of the first and one of the second four pixels.
inline constexpr int apart = lane_pixels / 2;
inline constexpr int window = 5;
inline constexpr float two_to_23 = 8388608;  ///< from here on floats are the whole numbers
inline constexpr float level_unit = 1.0F / 16777216;

/// Eight pixels and the four on each side.
struct Words {
  std::uint32_t left, first, second, right;
};

/// A Gaussian of five pixels by sums that are rounded to whole numbers above 2^23 after each product.
struct LaneWeights {
  // Along x, and down the image, for the pixels at distance 0, 1, 2.
  float across[3];
  float down[3];
  // The start of sums down the image, such that the final sum is a constant plus a multiple of the unit of levels; and
  // the number that is added to the bits of the sums of two pixels.
  float begin;
  std::uint32_t near, far;
  float end;
};

/// Products are (weight * level + half) >> bits. Along x they keep 9 bits, because levels have no fraction yet: weights
/// are increased by so little that no product reaches the next multiple of 2^-9, but none lies halfway. Down the image
/// sums are rounded down, so each product needs its half: for the first product it is in `begin`; the factors of the
/// others are increased so that the product grows by an integer and a half.
inline LaneWeights lane_weights(const CannyPlan& plan) {
  constexpr int one = 1 << kernels::canny_weight_bits;
  constexpr int half = one / 2;
  constexpr float across_one = one >> kernels::level_bits;
  constexpr int level = 1 << kernels::level_bits;
  // Above zero by as much as floats: the sum of the bits of two has it twice.
  constexpr std::uint32_t zero = 0x4B000000;
  constexpr int zero_over_one = 1 << (23 - kernels::canny_weight_bits);
  LaneWeights weights{};
  std::uint32_t* const added[] = {&weights.near, &weights.far};
  int base = 0;
  for (int k = 0; k < 3; ++k) {
    const int weight = plan.fixed_weights[k];
    const float across = static_cast<float>(weight) / across_one;
    weights.across[k] = weight == 0 ? 0 : std::nextafter(across, 2 * across);
    weights.down[k] = static_cast<float>(weight) / static_cast<float>(one);
    if (k == 0) continue;
    const int lowest = weight & -weight;
    const int half_factor = weight == 0 ? 0 : half / lowest;
    *added[k - 1] = static_cast<std::uint32_t>(half_factor) - zero;
    base += weight * zero_over_one + (weight == 0 ? 0 : weight / lowest / 2);
  }
  // The last sum is base + begin's whole part + that of the levels, half a level included.
  const int more = ((level / 2 - base) % level + level) % level;
  weights.begin = two_to_23 - static_cast<float>(plan.fixed_weights[0] * zero_over_one - more) + 0.5F;
  weights.end = two_to_23 - two_to_23 / level - static_cast<float>((base + more - level / 2) / level);
  return weights;
}

inline __device__ __half2 as_halves(std::uint32_t bits) {
  __half2 halves;
  memcpy(&halves, &bits, sizeof halves);
  return halves;
}
inline __device__ std::uint32_t as_bits(__half2 halves) {
  std::uint32_t bits;
  memcpy(&bits, &halves, sizeof bits);
  return bits;
}

/// A row after the Gaussian along x, above 2^23.
inline __device__ void smooth_across(const LaneWeights& weights, const Words& words, float (&to)[lane_pixels]) {
  constexpr int reach = 2;
  constexpr std::uint32_t above = 0x4B000000;
  float pixels[lane_pixels + 2 * reach];
#pragma unroll
  for (int i = 0; i < lane_pixels + 2 * reach; ++i) {
    const int byte = i + 4 - reach;
    const std::uint32_t word = byte < 4 ? words.left : byte < 8 ? words.first : byte < 12 ? words.second : words.right;
    pixels[i] = __uint_as_float(__byte_perm(word, above, 0x7440U + static_cast<unsigned>(byte % 4))) - two_to_23;
  }
#pragma unroll
  for (int i = 0; i < lane_pixels; ++i) {
    float sum = __fmaf_rn(weights.across[0], pixels[i + 2], two_to_23);
    sum = __fmaf_rn(weights.across[1], pixels[i + 1] + pixels[i + 3], sum);
    to[i] = __fmaf_rn(weights.across[2], pixels[i] + pixels[i + 4], sum);
  }
}

/// Levels from five such rows, the first of which is in the place `first`.
inline __device__ void smooth_down(const LaneWeights& weights, const float (&rows)[window][lane_pixels], int first,
                                   __half2 (&levels)[apart]) {
  const auto bits = [&](int row, int i) { return __float_as_uint(rows[(first + row) % window][i]); };
  float found[lane_pixels];
#pragma unroll
  for (int i = 0; i < lane_pixels; ++i) {
    float sum = __fmaf_rd(weights.down[0], __uint_as_float(bits(2, i)), weights.begin);
    sum = __fmaf_rd(weights.down[1], __uint_as_float(bits(1, i) + bits(3, i) + weights.near), sum);
    sum = __fmaf_rd(weights.down[2], __uint_as_float(bits(0, i) + bits(4, i) + weights.far), sum);
    found[i] = __fmaf_rd(sum, 1.0F / (1 << kernels::level_bits), weights.end);
  }
#pragma unroll
  for (int k = 0; k < apart; ++k) {
    levels[k] = as_halves(__byte_perm(__float_as_uint(found[k]), __float_as_uint(found[k + apart]), 0x5410));
  }
}

/// Levels without smoothing.
inline __device__ void levels_of(const Words& words, __half2 (&levels)[apart]) {
#pragma unroll
  for (int k = 0; k < apart; ++k) {
    levels[k] =
        as_halves(__byte_perm(words.first, words.second, 0x0400U + 0x1111U * static_cast<unsigned>(k)) & 0x00FF00FFU);
  }
}

inline EdgeRules edge_rules(const CannyPlan& plan) {
  const float unit = plan.squared ? level_unit * level_unit : level_unit;
  return {plan.low * unit, plan.high * unit, plan.squared, plan.first_of_ties};
}

/// Goes down the rows of levels. The pixels of the first and the last lane of a warp lack neighbors.
class Lines {
 public:
  /// Takes row y, and finds the edges of row y - 2. `is_inside` says where row y - 1 is in the image.
  template <class Inside>
  __device__ Edges take(const EdgeRules& rules, const __half2 (&row)[apart], bool all_inside, const Inside& is_inside) {
    float own[lane_pixels];
    GradientSigns signs;
    find_gradients(rules, row, own, signs);
    if (!all_inside) {
#pragma unroll
      for (int i = 0; i < lane_pixels; ++i) own[i] = is_inside(i) ? own[i] : 0;
    }
    float lengths[lane_pixels + 2];
#pragma unroll
    for (int i = 0; i < lane_pixels; ++i) lengths[i + 1] = own[i];
    lengths[0] = __shfl_up_sync(all_lanes, own[lane_pixels - 1], 1);
    lengths[lane_pixels + 1] = __shfl_down_sync(all_lanes, own[0], 1);
    return comparison_.take(rules, own, lengths, signs);
  }

 private:
  __device__ void find_gradients(const EdgeRules& rules, const __half2 (&row)[apart], float (&lengths)[lane_pixels],
                                 GradientSigns& signs) {
    __half2 after[apart + 2];
#pragma unroll
    for (int k = 0; k < apart; ++k) after[k + 1] = row[k];
    // The last pixel of the lane to the left beside the fourth one, and the fifth beside the next lane's first.
    after[0] =
        as_halves(__byte_perm(__shfl_up_sync(all_lanes, as_bits(row[apart - 1]), 1), as_bits(row[apart - 1]), 0x5432));
    after[apart + 1] = as_halves(__byte_perm(as_bits(row[0]), __shfl_down_sync(all_lanes, as_bits(row[0]), 1), 0x5432));
    __half2 sums[apart + 2];
    __half2 differences[apart + 2];
#pragma unroll
    for (int k = 0; k < apart + 2; ++k) {
      const __half2 two = __hadd2(here_[k], after[k]);
      sums[k] = __hadd2(two, two_rows_[k]);
      differences[k] = __hsub2(two, two_rows_[k]);
      two_rows_[k] = two;
      here_[k] = after[k];
    }
    float x[lane_pixels];
    float y[lane_pixels];
    const __half2 twice = as_halves(0x40004000U);
#pragma unroll
    for (int k = 0; k < apart; ++k) {
      const __half2 along_x = __hsub2(sums[k + 2], sums[k]);
      const __half2 along_y = __hfma2(twice, differences[k + 1], __hadd2(differences[k], differences[k + 2]));
      x[k] = __low2float(along_x);
      x[k + apart] = __high2float(along_x);
      y[k] = __low2float(along_y);
      y[k + apart] = __high2float(along_y);
    }
    signs = {};
#pragma unroll
    for (int i = lane_pixels - 1; i >= 0; --i) {
      // Squares of the cosine and the sine of 22.5 degrees; up to 1020, the largest gradient, no fraction is so close
      // to the tangent that rounding matters.
      constexpr float cosine = 0.853553391F;
      constexpr float sine = 0.146446609F;
      const float width = x[i] * x[i];
      const float square = __fmaf_rn(y[i], y[i], width);
      lengths[i] = square;
      push_sign(signs.x, __fmaf_rn(square, cosine, -width));
      push_sign(signs.y, __fmaf_rn(square, -sine, width));
      push_sign(signs.rises, x[i] * y[i]);
    }
    if (!rules.squared) {
#pragma unroll
      for (int i = 0; i < lane_pixels; ++i) lengths[i] = fabsf(x[i]) + fabsf(y[i]);
    }
  }

  // The row before, and its sum with that before it.
  __half2 here_[apart + 2] = {};
  __half2 two_rows_[apart + 2] = {};
  EdgeComparison<lane_pixels> comparison_;
};

}  // namespace whorl::backend::cuda::canny_lanes

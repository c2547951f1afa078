// Edges of uint8 images, with two adjacent pixels in a word: the same numbers as those of canny_steps.hpp, on an NVIDIA
// GPU.
#pragma once

#include "filter/src/cuda/canny/canny_steps.hpp"

namespace whorl::backend::cuda::canny_steps {

inline constexpr std::uint32_t lower_half = 0xffff;

inline __device__ uint2 pairs_of(const std::int16_t* levels) { return *reinterpret_cast<const uint2*>(levels); }
inline __device__ Group<std::int16_t> as_group(uint2 pairs) {
  return {static_cast<std::int16_t>(pairs.x), static_cast<std::int16_t>(pairs.x >> 16),
          static_cast<std::int16_t>(pairs.y), static_cast<std::int16_t>(pairs.y >> 16)};
}

/// The second pixel of a pair and the first of the next.
inline __device__ std::uint32_t between(std::uint32_t a, std::uint32_t b) { return __byte_perm(a, b, 0x5432); }

/// A Gaussian of five pixels. Weights are shifted so that products begin with the upper halves of words.
struct PairWeights {
  std::uint32_t middle, inner, outer;

  __device__ PairWeights(const CannyPlan& plan, int shift)
      : middle(static_cast<std::uint32_t>(plan.fixed_weights[0]) << (shift + 1)),
        inner(static_cast<std::uint32_t>(plan.fixed_weights[1]) << (shift + 1)),
        outer(static_cast<std::uint32_t>(plan.fixed_weights[2]) << (shift + 1)) {
    static_assert(kernels::canny_weight_bits == 15);
  }
  static __device__ std::uint32_t product(std::uint32_t pair, std::uint32_t weight, std::uint32_t rounding) {
    return __byte_perm((pair & lower_half) * weight + rounding, (pair >> 16) * weight + rounding, 0x7632);
  }
  /// The Gaussian from the pixels and the sums of the pixels at distance 1 and 2; `added` is added to the result.
  __device__ std::uint32_t operator()(std::uint32_t at, std::uint32_t near, std::uint32_t far,
                                      std::uint32_t added) const {
    constexpr std::uint32_t half = 1U << 15;
    return product(at, middle, half + (added << 16)) + product(near, inner, half) + product(far, outer, half);
  }
};

/// The Gaussian along x of four pixels, from the pixels that begin two columns to the left.
inline __device__ uint2 smoothed_across(const PairWeights& weights, uint2 left, uint2 right) {
  const std::uint32_t one = between(left.x, left.y);
  const std::uint32_t three = between(left.y, right.x);
  const std::uint32_t five = between(right.x, right.y);
  return {weights(left.y, one + three, left.x + right.x, 0), weights(right.x, three + five, left.y + right.y, 0)};
}

/// The Gaussian along y of two pixels, from five rows, as gray levels.
inline __device__ std::uint32_t smoothed_down(const PairWeights& weights, const std::uint32_t (&rows)[5]) {
  constexpr std::uint32_t half = 1U << (kernels::level_bits - 1);
  const std::uint32_t sum = weights(rows[2], rows[1] + rows[3], rows[0] + rows[4], half);
  constexpr std::uint32_t kept = lower_half >> kernels::level_bits;
  return (sum >> kernels::level_bits) & (kept << 16 | kept);
}

/// A gradient is stored as four times its length plus its direction.
inline constexpr int direction_bits = 2;
inline constexpr int direction_mask = (1 << direction_bits) - 1;

/// The largest stored value of lengths that are at most this one; lengths are below 2^22.
inline __device__ int threshold_of(float length, int /*of a uint8 image*/) {
  constexpr float most = 1 << 22;
  return (static_cast<int>(fminf(fmaxf(length, 0), most)) << direction_bits) + direction_mask;
}

inline __device__ int gradient_of(int width, int height, int diagonal, bool squared) {
  const int length = squared ? width * width + height * height : width + height;
  const int beyond_flat = width * tangent - (height << tangent_bits);
  const int direction = beyond_flat > 0 ? is_x : beyond_flat + (width << (tangent_bits + 1)) < 0 ? is_y : diagonal;
  return (length << direction_bits) + direction;
}

/// The gradients of four pixels, from the gray levels of three rows: the pixels, and one pair before and after them.
inline __device__ int4 gradients_of(const std::uint32_t (&rows)[3][4], bool squared) {
  std::uint32_t sums[4];
  std::uint32_t differences[4];
  // Differences are raised above zero, and gradients by 1024, so that no half of a word borrows from the other.
  constexpr std::uint32_t above = 0x01000100;
  constexpr std::uint32_t zero = 4 * above;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums[i] = rows[0][i] + 2 * rows[1][i] + rows[2][i];
    differences[i] = rows[2][i] + above - rows[0][i];
  }
  int found[4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t x = between(sums[i + 1], sums[i + 2]) + zero - between(sums[i], sums[i + 1]);
    const std::uint32_t y = between(differences[i], differences[i + 1]) + 2 * differences[i + 1] +
                            between(differences[i + 1], differences[i + 2]);
    const std::uint32_t width = __vmaxu2(x, 2 * zero - x) - zero;
    const std::uint32_t height = __vmaxu2(y, 2 * zero - y) - zero;
    // Bit 10 of a half-word: the gradient is not below zero.
    const std::uint32_t signs = x ^ y;
    static_assert(rises == falls + 1);
    found[2 * i] = gradient_of(static_cast<int>(width & lower_half), static_cast<int>(height & lower_half),
                               falls + static_cast<int>(signs >> 10 & 1U), squared);
    found[2 * i + 1] = gradient_of(static_cast<int>(width >> 16), static_cast<int>(height >> 16),
                                   falls + static_cast<int>(signs >> 26 & 1U), squared);
  }
  return {found[0], found[1], found[2], found[3]};
}

}  // namespace whorl::backend::cuda::canny_steps

// Kernel family: statistics of all pixels of an image: counts of levels, extremes, sums. All add to the previous
// results, so that an image may come in bands. Pixels begin at a multiple of 16 bytes.
#pragma once

#include <bit>
#include <cstdint>

#include "filter/src/kernels/points/points.hpp"

namespace whorl::kernels {

/// The observed numbers: the first `colors` channels of each pixel after the operation `through`.
struct Observed {
  PointCode through;
  int colors = 1;
};

/// counts[color][level] += 1 for each number; float32 numbers v are counted in the bin (v - low) scale.
inline FilterKernel<void(const Context&, const Observed&, float low, float scale, Index pixels, const void* from,
                         std::uint64_t* counts)>
    count_levels{"histogram"};

/// Order of floats as integers: key(a) < key(b) where a < b.
constexpr std::uint32_t key_of(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  constexpr std::uint32_t sign = 0x80000000U;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
constexpr float float_of_key(std::uint32_t key) {
  constexpr std::uint32_t sign = 0x80000000U;
  return std::bit_cast<float>((key & sign) != 0 ? key & ~sign : ~key);
}

/// For float32: keys[0] becomes the smallest key of all colors, keys[1] the largest. NaN and infinities do not count.
inline FilterKernel<void(const Context&, const Observed&, Index pixels, const void* from, std::uint32_t* keys)>
    extremes{"extremes"};

/// For float32: sums[color] += its numbers, in an order that depends only on the number of pixels.
inline FilterKernel<void(const Context&, const Observed&, Index pixels, const void* from, double* sums)> sum_colors{
    "color sums"};

}  // namespace whorl::kernels

// Kernel family: what is learned of all pixels of an image: how many there are of each level, least and largest, sums.
// All add to what is there already, so that an image may come in bands; their pixels begin where a multiple of 16 bytes
// does.
#pragma once

#include <bit>
#include <cstdint>

#include "filter/kernels/points/points.hpp"

namespace whorl::kernels {

/// Whose numbers are looked at: what `through` makes of each pixel, its first `colors` channels.
struct Observed {
  PointCode through;
  int colors = 1;
};

/// counts[color][level] += 1 for each number; float32 by bins, of which v lies in (v - low) scale.
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

/// Of float32: keys[0] becomes the least key of the colors together, keys[1] the largest. What is no number, or
/// infinite, is left out.
inline FilterKernel<void(const Context&, const Observed&, Index pixels, const void* from, std::uint32_t* keys)>
    extremes{"extremes"};

/// Of float32: sums[color] += its numbers, in an order that follows from the number of pixels alone.
inline FilterKernel<void(const Context&, const Observed&, Index pixels, const void* from, double* sums)> sum_colors{
    "color sums"};

}  // namespace whorl::kernels

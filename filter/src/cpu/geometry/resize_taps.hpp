// Rows of an image that is enlarged with several taps, by vectors, with the same results as number by number.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/src/kernels/geometry/resize.hpp"

namespace whorl::backend::cpu {

/// The type of sums. Sums of uint16 have up to 53 bits: doubles hold them exactly, and there are vector instructions.
template <class T>
using TapSum =
    std::conditional_t<std::is_same_v<T, float>, float, std::conditional_t<sizeof(T) == 1, std::int32_t, double>>;

/// A new row in blocks of numbers whose first taps lie within 16 bytes from `base` on; each next tap lies one pixel
/// further. The last block ends with the row and may overlap the previous one.
template <class T>
struct TapBlocks {
  static constexpr Index window = 16 / static_cast<Index>(sizeof(T));
  static constexpr Index block = window;
  static constexpr Index lane_bytes = 4;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;  ///< for each number the places of its first tap's bytes, padded to lane_bytes
  std::vector<TapSum<T>> weights;  ///< [block][tap][number]
  Index length = 0;
  Index channels = 1;
  Index count = 0;
};

/// False if a row is too short, or shrinks, so that taps are too far apart.
template <class T>
bool make_tap_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, TapBlocks<T>& blocks);

/// An old row with its new columns, with the numbers of kernels::resize_middle.
void stretch_row(const TapBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int32_t* to);
void stretch_row(const TapBlocks<std::uint16_t>& blocks, const std::uint16_t* from, std::int32_t* to);
void stretch_row(const TapBlocks<float>& blocks, const float* from, float* to);

/// to[i] = the sum of weights[t] rows[t][i] over t < count, with the rounding of kernels::resize_result. `stream`
/// bypasses the caches.
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint8_t* to);
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint16_t* to);
void weigh_rows(const float* weights, const float* const* rows, Index count, Index length, int weight_bits, bool stream,
                float* to);

}  // namespace whorl::backend::cpu

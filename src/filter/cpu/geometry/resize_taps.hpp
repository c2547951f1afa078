// Rows of an image that is enlarged with several taps, by vectors. The results are those of number by number.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/kernels/geometry/resize.hpp"

namespace whorl::backend::cpu {

/// What sums are made in. Those of uint16 have up to 53 bits: doubles hold them exactly, and vectors multiply them.
template <class T>
using TapSum =
    std::conditional_t<std::is_same_v<T, float>, float, std::conditional_t<sizeof(T) == 1, std::int32_t, double>>;

/// Numbers of a new row in blocks, whose first taps lie within 16 bytes from `base` on; each next tap lies a pixel
/// further. The last block ends with the row and may overlap the one before.
template <class T>
struct TapBlocks {
  static constexpr Index window = 16 / static_cast<Index>(sizeof(T));
  static constexpr Index block = window;
  static constexpr Index lane_bytes = 4;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;  ///< of each number the bytes of its first tap, filled up to lane_bytes with none
  std::vector<TapSum<T>> weights;  ///< [block][tap][number]
  Index length = 0;
  Index channels = 1;
  Index count = 0;
};

/// False where a row is too short, or shrinks so that taps are further apart.
template <class T>
bool make_tap_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, TapBlocks<T>& blocks);

/// A new row of an old one, as kernels::resize_middle leaves it.
void stretch_row(const TapBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int32_t* to);
void stretch_row(const TapBlocks<std::uint16_t>& blocks, const std::uint16_t* from, std::int32_t* to);
void stretch_row(const TapBlocks<float>& blocks, const float* from, float* to);

/// to[i] = the sum of weights[t] rows[t][i] over t < count, as kernels::resize_result makes it. `stream` writes past
/// the caches.
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint8_t* to);
void weigh_rows(const std::int32_t* weights, const std::int32_t* const* rows, Index count, Index length,
                int weight_bits, bool stream, std::uint16_t* to);
void weigh_rows(const float* weights, const float* const* rows, Index count, Index length, int weight_bits, bool stream,
                float* to);

}  // namespace whorl::backend::cpu

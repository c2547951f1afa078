// Rows of an image that is enlarged bilinearly, by vectors: a vector of new numbers needs only a few adjacent old ones.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/src/kernels/geometry/resize.hpp"

namespace whorl::backend::cpu {

/// A new row in blocks of numbers whose left neighbors lie within one vector from `base` on; the right neighbors lie
/// one pixel further. The last block ends with the row and may overlap the previous one.
template <class T>
struct RowBlocks;

template <>
struct RowBlocks<std::uint8_t> {
  static constexpr Index block = 16;
  static constexpr Index window = 16;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;    ///< two entries for each number: the place of its left neighbor, and no place
  std::vector<std::int16_t> weight;  ///< of the neighbor to the right, in units of 2^-15
  Index length = 0;
  Index channels = 1;
};

template <>
struct RowBlocks<float> {
  static constexpr Index block = 4;
  static constexpr Index window = 4;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;  ///< for each number the places of the four bytes of its left neighbor
  std::vector<float> weight;
  Index length = 0;
  Index channels = 1;
};

/// False if a row is too short, or shrinks, so that neighbors are too far apart.
template <class T>
bool make_row_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, RowBlocks<T>& blocks);

/// An old row with its new columns, with the numbers of kernels::resize_middle.
void stretch_row(const RowBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int16_t* to);
void stretch_row(const RowBlocks<float>& blocks, const float* from, float* to);

/// The row at `weight` of the way from the first to the second row, as kernels::resize_result. `stream` bypasses the
/// caches.
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int32_t weight, Index length, bool stream,
                std::uint8_t* to);
void blend_rows(const float* a, const float* b, float weight, Index length, bool stream, float* to);

}  // namespace whorl::backend::cpu

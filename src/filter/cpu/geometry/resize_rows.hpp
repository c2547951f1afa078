// Rows of an image that is enlarged bilinearly, by vectors: near vectors of new numbers lie few old ones.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/kernels/geometry/resize.hpp"

namespace whorl::backend::cpu {

/// Numbers of a new row in blocks, whose left neighbors lie within one vector from `base` on; those to the right lie a
/// pixel further. The last block ends with the row and may overlap the one before.
template <class T>
struct RowBlocks;

template <>
struct RowBlocks<std::uint8_t> {
  static constexpr Index block = 16;
  static constexpr Index window = 16;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;    ///< of each number two: where its left neighbor lies, and none
  std::vector<std::int16_t> weight;  ///< of the neighbor to the right, in units of 2^-15
  Index length = 0;
  Index channels = 1;
};

template <>
struct RowBlocks<float> {
  static constexpr Index block = 4;
  static constexpr Index window = 4;
  std::vector<std::int32_t> base;
  std::vector<std::uint8_t> near;  ///< of each number the four bytes of its left neighbor
  std::vector<float> weight;
  Index length = 0;
  Index channels = 1;
};

/// False where a row is too short, or shrinks so that neighbors are further apart.
template <class T>
bool make_row_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, RowBlocks<T>& blocks);

/// A new row of an old one, as kernels::resize_middle leaves it.
void stretch_row(const RowBlocks<std::uint8_t>& blocks, const std::uint8_t* from, std::int16_t* to);
void stretch_row(const RowBlocks<float>& blocks, const float* from, float* to);

/// The row between two, `weight` of the way to the second, as kernels::resize_result makes it. `stream` writes past the
/// caches.
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int32_t weight, Index length, bool stream,
                std::uint8_t* to);
void blend_rows(const float* a, const float* b, float weight, Index length, bool stream, float* to);

}  // namespace whorl::backend::cpu

// Images with half as many rows and columns: means of two by two pixels.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Tables of shuffles that put neighbors next to each other. Each 16 bytes of an integer image give 8 bytes of results.
/// With three channels 12 bytes give 6, so input words are spread to blocks before, and results are compacted after.
struct HalfTables {
  HalfTables(Index channels, Index bytes);

  static constexpr Index most_bytes = 64;
  Index channels;
  Index results;  ///< of a block
  std::uint8_t pairs[most_bytes];
  std::uint8_t together[most_bytes / 2];
  std::int32_t spread[most_bytes / 4];
  std::int32_t close[most_bytes / 8];
};

/// `width` pixels from twice as many of each of two rows.
void halve_rows(const HalfTables& tables, const std::uint8_t* a, const std::uint8_t* b, Index width, std::uint8_t* to);
void halve_rows(const HalfTables& tables, const std::uint16_t* a, const std::uint16_t* b, Index width,
                std::uint16_t* to);
void halve_rows(const HalfTables& tables, const float* a, const float* b, Index width, float* to);

}  // namespace whorl::backend::cpu

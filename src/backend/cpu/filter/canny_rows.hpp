// Edges before they are connected, of some rows of a slice.
#pragma once

#include "kernels/filter/canny.hpp"

namespace whorl::backend::cpu {

struct CannyRows {
  const kernels::CannyPlan& plan;
  Index height, width;
  int channels;
  Index first, last;  ///< rows whose edges are found
};

/// From the pixels of the slice, one bit per pixel (kernels::BitMasks) for the whole slice: `mask`, thin lines of
/// gradients above the lower threshold, and `seeds`, those of them above the higher one.
void thin_edges(const CannyRows& rows, const std::uint8_t* slice, std::uint32_t* mask, std::uint32_t* seeds);
void thin_edges(const CannyRows& rows, const std::uint16_t* slice, std::uint32_t* mask, std::uint32_t* seeds);
void thin_edges(const CannyRows& rows, const float* slice, std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cpu

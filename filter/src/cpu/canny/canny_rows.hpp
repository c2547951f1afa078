// Thin lines of some rows of a slice, before they are connected.
#pragma once

#include "filter/src/kernels/canny/canny.hpp"

namespace whorl::backend::cpu {

struct CannyRows {
  const kernels::CannyPlan& plan;
  const kernels::PointCode* load;  ///< null: no point operation
  Index height, width;
  int channels;       ///< after the load
  Index first, last;  ///< rows whose edges are found
};

/// From the pixels of the slice, which are T after the load, one bit per pixel (kernels::BitMasks) for the whole slice:
/// `mask`, thin lines of gradients above the lower threshold, and `seeds`, the pixels of `mask` above the higher one.
template <class T>
void thin_edges(const CannyRows& rows, const void* slice, std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cpu

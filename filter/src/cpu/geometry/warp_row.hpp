// Rows of an image that is read bilinearly along slanted lines, by vectors, for pixels that are not near an edge.
#pragma once

#include <cstdint>

#include "filter/src/kernels/geometry/warp.hpp"

namespace whorl::backend::cpu {

/// `count` pixels from (y, x) on, as kernels::warp_pixel makes them; `slice` has fewer than 2^31 bytes. All four
/// neighbors of each are in the image, and for RGB uint8 one more to the right. Returns the number of finished pixels;
/// the rest does not fill a vector.
Index warp_inside(const kernels::WarpJob<std::uint8_t>& job, const std::uint8_t* slice, Index y, Index x, Index count,
                  std::uint8_t* to);
Index warp_inside(const kernels::WarpJob<std::uint16_t>& job, const std::uint16_t* slice, Index y, Index x, Index count,
                  std::uint16_t* to);
Index warp_inside(const kernels::WarpJob<float>& job, const float* slice, Index y, Index x, Index count, float* to);

}  // namespace whorl::backend::cpu

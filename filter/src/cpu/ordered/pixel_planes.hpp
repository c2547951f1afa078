// Conversion of rows of pixels to planes of pixels that are a fixed distance apart, and back.
#pragma once

#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Pixel i * extent + j, channel c, is number i of plane c * extent + j. Planes lie `stride` numbers apart.
struct PlaneLayout {
  Index channels;
  Index extent;  ///< a power of two, at least 2
  Index stride;
};

/// The padding at the end of rows and planes, for the last vectors.
inline constexpr Index plane_slack_bytes = 512;

/// Converts a row of `count` pixels to planes.
template <class Key>
void spread_pixels(const PlaneLayout& layout, const Key* pixels, Index count, Key* planes, std::vector<Key>& memory);

/// Converts planes to a row of whole tiles: extent * tiles pixels.
template <class Key>
void gather_pixels(const PlaneLayout& layout, const Key* planes, Index tiles, Key* pixels, std::vector<Key>& memory);

}  // namespace whorl::backend::cpu

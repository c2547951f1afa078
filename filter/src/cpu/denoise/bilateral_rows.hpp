// The bilateral filter of rows, channel by channel in float32.
#pragma once

#include <cstdint>

#include "filter/src/kernels/denoise/bilateral.hpp"

namespace whorl::backend::cpu {

/// Rows of floats are read and written in whole vectors of any instruction set, so they have this padding at the end.
inline constexpr Index bilateral_room = 16;

struct BilateralTap {
  Index offset;    ///< from the center pixel
  float exponent;  ///< of the weight by distance
};

struct BilateralRow {
  const kernels::BilateralPlan* plan;
  const BilateralTap* taps;
  Index tap_count;
  Index width;
  const float* middle;  ///< the first pixel, in the first channel; the pixels of the taps are around it
  Index plane;          ///< from one channel to the next
};

/// to: [channel, to_plane]. The first `colors` of the `channels` count in the difference.
void bilateral_row(const BilateralRow& row, int colors, int channels, float* to, Index to_plane);

/// `count` pixels to floats, [channel, plane].
template <class T>
[[gnu::visibility("hidden")]] void split_row(const T* from, Index count, int channels, float* to, Index plane);

/// The reverse; integers are rounded to the nearest.
template <class T>
[[gnu::visibility("hidden")]] void join_row(const float* from, Index plane, Index count, int channels, T* to);

}  // namespace whorl::backend::cpu

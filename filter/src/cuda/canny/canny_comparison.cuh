// Compares gradients with those of their neighbors, on an NVIDIA GPU. A warp goes down the rows of an image, and a lane
// has several pixels of each row. The bits of a row are the signs of differences.
#pragma once

#include <cstdint>

#include "filter/src/kernels/canny/canny.hpp"

namespace whorl::backend::cuda::canny_lanes {

using kernels::CannyPlan;

inline constexpr unsigned all_lanes = ~0U;

/// A row's lines of largest gradients above the lower threshold, and their pixels above the higher one; a bit per
/// pixel.
struct Edges {
  std::uint32_t lines, strong;
};

struct EdgeRules {
  float low, high;
  bool squared, first_of_ties;
};

/// Shifts in a bit that says whether a is longer than b.
inline __device__ void push_longer(std::uint32_t& word, float a, float b) {
  word = __funnelshift_l(__float_as_uint(b - a), word, 1);
}
inline __device__ void push_sign(std::uint32_t& word, float a) { word = __funnelshift_l(__float_as_uint(a), word, 1); }

/// A bit per gradient: whether it is closest to x, whether to y, and whether the signs of x and y differ.
struct GradientSigns {
  std::uint32_t x, y, rises;
};

template <int pixels>
class EdgeComparison {
 public:
  /// Takes the lengths of row y (`own`) and the data for comparing them with their neighbors; finds the edges of row y
  /// - 1.
  __device__ Edges take(const EdgeRules& rules, const float (&own)[pixels], const float (&lengths)[pixels + 2],
                        const GradientSigns& signs) {
    std::uint32_t above_low = 0;
    std::uint32_t above_high = 0;
    std::uint32_t left = 0;
    std::uint32_t up = 0;
    std::uint32_t up_left = 0;
    std::uint32_t up_right = 0;
    // Words of the row before, beside this one.
    std::uint32_t down_left = 0;
    std::uint32_t down_right = 0;
    push_longer(left, lengths[pixels + 1], lengths[pixels]);
#pragma unroll
    for (int i = pixels; i > 0; --i) {
      push_longer(above_low, own[i - 1], rules.low);
      push_longer(above_high, own[i - 1], rules.high);
      push_longer(left, lengths[i], lengths[i - 1]);
      push_longer(up, lengths[i], lengths_[i]);
      push_longer(up_left, lengths[i], lengths_[i - 1]);
      push_longer(up_right, lengths[i], lengths_[i + 1]);
      push_longer(down_left, lengths_[i], lengths[i - 1]);
      push_longer(down_right, lengths_[i], lengths[i + 1]);
    }
    std::uint32_t right = ~(left >> 1);
    std::uint32_t down = ~up;
    if (!rules.first_of_ties) {
      right = 0;
      down = 0;
#pragma unroll
      for (int i = pixels; i > 0; --i) {
        push_longer(right, lengths[i], lengths[i + 1]);
        push_longer(down, lengths_[i], lengths[i]);
      }
    }
    Edges found;
    found.lines = stays_ | (toward_y_ & down) | (falls_ & down_right) | (rises_ & down_left);
    found.strong = found.lines & strong_;
    const std::uint32_t diagonal = above_low & ~signs.x & ~signs.y;
    stays_ = above_low & signs.x & left & right;
    toward_y_ = above_low & signs.y & up;
    falls_ = diagonal & ~signs.rises & up_left;
    rises_ = diagonal & signs.rises & up_right;
    strong_ = above_high;
#pragma unroll
    for (int i = 0; i < pixels + 2; ++i) lengths_[i] = lengths[i];
    return found;
  }

 private:
  // Lengths in the row whose neighbors below come next, and pixels that beat those above, by their direction.
  float lengths_[pixels + 2] = {};
  std::uint32_t stays_ = 0;
  std::uint32_t toward_y_ = 0;
  std::uint32_t falls_ = 0;
  std::uint32_t rises_ = 0;
  std::uint32_t strong_ = 0;
};

}  // namespace whorl::backend::cuda::canny_lanes

// Medians by networks of comparators, for small windows: columns are sorted, sorted columns merged into sorted blocks
// that neighboring windows share, and the median is taken from two blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

inline constexpr Index largest_network_radius = 3;

/// Rows for a network: the first 2 radius + 1 are those of the window, in any order, each from `radius` pixels to the
/// left on; one more is for the medians.
template <class Key>
class NetworkRows {
 public:
  /// For rows of `pixels` pixels at most, or equal parts of them that stay in the second cache.
  NetworkRows(Index radius, Index channels, Index pixels);

  /// Medians that a row has room for, of whole pixels.
  Index width() const { return width_; }
  Key* window(Index i) { return rows_ + i * stride_; }
  const Key* medians() const { return rows_ + result_ * stride_; }
  /// From the rows of the window.
  void run();

 private:
  Index radius_, channels_, width_, stride_, result_;
  std::vector<Key> memory_;
  Key* rows_;
};

}  // namespace whorl::backend::cpu

// Medians by networks of comparators, for small windows: columns are sorted, sorted columns merged into sorted blocks
// that neighboring windows share, and the median is taken from two blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

inline constexpr Index largest_network_radius = 3;

/// Rows for a network: the first 2 radius + 1 are the rows of the window, in any order, each beginning `radius` pixels
/// to the left; one more row is for the medians.
template <class Key>
class NetworkRows {
 public:
  /// For rows of at most `pixels` pixels, or equal parts of them that stay in the second-level cache.
  NetworkRows(Index radius, Index channels, Index pixels);

  /// The number of medians in a row, for whole pixels.
  Index width() const { return width_; }
  Key* window(Index i) { return rows_ + i * stride_; }
  const Key* medians() const { return rows_ + result_ * stride_; }
  /// Computes the medians from the rows of the window.
  void run();

 private:
  Index radius_, channels_, width_, stride_, result_;
  std::vector<Key> memory_;
  Key* rows_;
};

}  // namespace whorl::backend::cpu

// Medians by comparators on whole rows, for small windows: columns are sorted, sorted columns merged into sorted blocks
// that all windows share, and the median is taken from two blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

enum class Compare {
  both,    ///< low = min(a, b), high = max(a, b)
  low,     ///< low = min(a, b)
  high,    ///< high = max(a, b)
  select,  ///< low = min over all of a run of max(a, b)
};

/// Places in the memory of a network, in bytes.
struct Comparator {
  std::int32_t a, b, low, high;
};

/// Comparators of one kind, one after the other.
struct ComparatorRun {
  Compare kind;
  std::vector<Comparator> comparators;
};

struct NetworkStage {
  std::vector<ComparatorRun> runs;
  Index bytes;  ///< of each row that are computed
};

/// The rows of the memory have `stride` bytes each. The first 2 radius + 1 hold the rows of the window in any order,
/// each from `radius` pixels to the left on; the last stage writes the medians to `result`.
struct MedianNetwork {
  std::vector<NetworkStage> stages;
  Index stride = 0;
  Index bytes = 0;  ///< of the memory
  Index result = 0;
};

inline constexpr Index largest_network_radius = 7;

/// For strips of `strip` bytes, whose pixels have `pixel` bytes.
MedianNetwork median_network(Index radius, Index strip, Index pixel);

/// Runs a network in memory whose first rows are filled. Key: uint8, uint16 or int32.
template <class Key>
void run_network(const MedianNetwork& network, Key* memory);

}  // namespace whorl::backend::cpu

// Division of long sums into parts, so that there are enough blocks for the device.
#pragma once

#include <algorithm>

#include "whorl/core/integer.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

/// `count` parts of `per_part` units each; the last may have fewer, none is empty.
struct Parts {
  Index count;
  Index per_part;
};

/// The parts of `blocks` sums of `units` units each, if `at_once` blocks run at a time and starting and ending a block
/// costs as much as `overhead` units.
inline Parts parts_for(Index blocks, Index units, Index at_once, Index overhead) {
  constexpr Index most_parts = 64;  // they are added afterwards
  Parts best{1, std::max<Index>(1, units)};
  Index least = 0;
  for (Index count = 1; count <= std::min(units, most_parts); ++count) {
    const Index per_part = divide_up(units, count);
    const Index parts = divide_up(units, per_part);
    const Index cost = divide_up(blocks * parts, at_once) * (per_part + overhead);
    if (least == 0 || cost < least) {
      least = cost;
      best = {parts, per_part};
    }
  }
  return best;
}

}  // namespace whorl::backend::cuda

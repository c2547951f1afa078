// The smallest or largest numbers of windows, row by row.
#pragma once

#include "filter/kernels/ordered/morphology.hpp"
#include "filter/kernels/ordered/ordered.hpp"

namespace whorl::backend::cpu {

/// The room that rows have behind their keys, for the last vector.
inline constexpr Index extreme_slack_bytes = 64;

/// A window of 2^k numbers is two of 2^(k - 1), and the last step to `side` takes two that overlap. The distance of the
/// two in each step.
struct DoublingSteps {
  explicit DoublingSteps(Index side) {
    Index length = 1;
    for (; 2 * length <= side; length *= 2) distances[count++] = length;
    if (length < side) distances[count++] = side - length;
  }
  static constexpr Index most = 64;
  Index distances[most] = {};
  Index count = 0;
};

/// Down: `row` becomes the extremum of itself and earlier rows. For each step `held` has the row that lies the step's
/// distance above, after the steps before; it is replaced by the new one.
template <class Key>
[[gnu::visibility("hidden")]] void extremes_down(kernels::Extremum which, Key* const* held, Index steps, Index count,
                                                 Key* row);

/// Along: to[i] is the pixel of the extremum of keys i, i + channels ... of a row, which is overwritten. `stream`
/// writes past the caches.
template <class T>
void extremes_along(kernels::Extremum which, const DoublingSteps& steps, Index channels, Index count, bool stream,
                    kernels::Ordered<T>* row, T* to);

}  // namespace whorl::backend::cpu

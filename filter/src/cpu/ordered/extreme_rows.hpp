// The smallest or largest numbers of windows, row by row.
#pragma once

#include "filter/src/kernels/ordered/morphology.hpp"
#include "filter/src/kernels/ordered/ordered.hpp"

namespace whorl::backend::cpu {

/// The padding at the end of rows, for the last vector.
inline constexpr Index extreme_slack_bytes = 64;

/// The distances of the two windows in each step: a window of 2^k numbers is the union of two of 2^(k - 1), and the
/// last step to `side` joins two that overlap.
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

/// Along columns: `row` becomes the extremum of itself and earlier rows. For each step `held` has the row at the step's
/// distance above, after the previous steps; the new row replaces it.
template <class Key>
[[gnu::visibility("hidden")]] void extremes_down(kernels::Extremum which, Key* const* held, Index steps, Index count,
                                                 Key* row);

/// Along rows: to[i] is the pixel of the extremum of keys i, i + channels ... of a row, which is overwritten. `stream`
/// bypasses the caches.
template <class T>
void extremes_along(kernels::Extremum which, const DoublingSteps& steps, Index channels, Index count, bool stream,
                    kernels::Ordered<T>* row, T* to);

}  // namespace whorl::backend::cpu

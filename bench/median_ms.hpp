// The median time of some work on a context's device.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "whorl/core/laps.hpp"

namespace whorl::bench {

inline double median_ms(const Context& ctx, const std::function<void()>& work) {
  constexpr int repetitions = 11;
  Laps laps(ctx);
  laps.mark();
  for (int i = 0; i < repetitions; ++i) {
    work();
    laps.mark();
  }
  std::vector<double> ms = laps.milliseconds();
  std::nth_element(ms.begin(), ms.begin() + repetitions / 2, ms.end());
  return ms[repetitions / 2];
}

}  // namespace whorl::bench

#include "bench/timing.hpp"

#include <algorithm>
#include <vector>

#include "whorl/core/laps.hpp"

namespace whorl::bench {

Timing time_work(const Context& ctx, Effort effort, const std::function<void()>& work) {
  constexpr std::size_t least_repetitions = 5;
  const double least_ms = effort == Effort::settled ? 300 : 0;
  // A GPU that works without a pause, as in a reconstruction, is asked for the next repetitions before it is done.
  constexpr int few = 5;
  constexpr int many = 100;
  constexpr double short_ms = 1;
  constexpr double long_ms = 500;
  Laps laps(ctx);
  laps.mark();
  work();
  laps.mark();
  std::vector<double> ms = laps.milliseconds();
  if (effort == Effort::brief && ms.front() > long_ms) return {1, ms.front(), 0};
  ms.clear();
  for (double total = 0; ms.size() < least_repetitions || total < least_ms;) {
    laps.mark();
    for (int i = 0; i < (ms.empty() || ms.back() > short_ms ? few : many); ++i) {
      ctx.check_cancel("bench");
      work();
      laps.mark();
    }
    for (const double lap : laps.milliseconds()) {
      ms.push_back(lap);
      total += lap;
    }
  }
  std::sort(ms.begin(), ms.end());
  const double median = ms[ms.size() / 2];
  return {static_cast<int>(ms.size()), median, (ms[3 * ms.size() / 4] - ms[ms.size() / 4]) / median};
}

}  // namespace whorl::bench

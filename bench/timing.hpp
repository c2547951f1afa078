// How long some work takes on a context's device.
#pragma once

#include <functional>

#include "whorl/core/context.hpp"

namespace whorl::bench {

enum class Effort {
  settled,  ///< until the median is: five times and 0.3 s at least, after a first time that does not count
  quick,    ///< five times after the first
  brief,    ///< as quick, but once where that takes half a second
};

struct Timing {
  int repetitions = 0;
  double median_ms = 0;
  double spread = 0;  ///< distance of the quartiles, relative to the median; 0 of a single time
};

/// Does the work again and again. Throws what it does, and Cancelled.
Timing time_work(const Context& ctx, Effort effort, const std::function<void()>& work);

}  // namespace whorl::bench

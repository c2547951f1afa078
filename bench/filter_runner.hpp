// The time of filters on images that lie on the device.
#pragma once

#include <string>
#include <vector>

#include "bench/filter_cases.hpp"
#include "bench/timing.hpp"

namespace whorl::bench {

struct FilterMeasurement {
  FilterCase what;
  Timing timing;
  std::size_t bytes = 0;  ///< of the input and of the result: what has to pass through memory once

  double gigabytes_per_s() const { return 1e-6 * static_cast<double>(bytes) / timing.median_ms; }
};

/// The cases that are timed in whose names a regular expression (ECMAScript) is found; none for an empty one. Throws
/// ValueError where it is no regular expression.
std::vector<FilterCase> filters_like(const std::string& expression);

/// Throws what the filter does, and Cancelled.
FilterMeasurement measure_filter(const Context& ctx, const FilterCase& what);

}  // namespace whorl::bench

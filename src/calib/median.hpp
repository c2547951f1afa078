// The middle of some values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace whorl {

/// The value in the middle, the upper one of two. There is at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace whorl

// A value of options as a number of an image.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace whorl::filters {

/// Rounded to the nearest and clipped for integers.
template <class T>
T pixel_value(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(std::clamp<double>(std::floor(value + 0.5), 0, std::numeric_limits<T>::max()));
  }
}

}  // namespace whorl::filters

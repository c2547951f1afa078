// The pixels beyond the edge of an image, for kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

template <class T>
struct Edge {
  Border border = Border::reflect;
  T value{};  ///< of Border::constant
};

/// The options in the image's numbers: integers are rounded to the nearest (halves up) and clipped.
template <class T>
Edge<T> edge_of(const BorderOptions& options, PixelType type) {
  if constexpr (std::is_floating_point_v<T>) return {options.border, static_cast<T>(options.border_value)};
  const double nearest = std::floor(options.border_value + 0.5);
  return {options.border, static_cast<T>(std::clamp(nearest, 0.0, full_scale(type)))};
}

}  // namespace whorl::kernels

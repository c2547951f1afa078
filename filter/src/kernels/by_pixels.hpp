// Names for the instances of a kernel whose signature does not contain the pixel type: slots are found by name and signature.
#pragma once

#include <type_traits>

namespace whorl::kernels {

/// The name for pixels T.
template <class T>
constexpr const char* by_pixels(const char* uint8, const char* uint16, const char* float32) {
  if constexpr (std::is_floating_point_v<T>) return float32;
  return sizeof(T) == 1 ? uint8 : uint16;
}

}  // namespace whorl::kernels

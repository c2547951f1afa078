// Shifts of the versions of a function (ProximalFunction, Passes).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "whorl/core/random.hpp"
#include "whorl/core/view.hpp"

namespace whorl {

/// Below `most` along each axis, each as likely as the others; none for pass 0.
inline std::array<Index, 3> random_shift(std::uint64_t seed, Index pass, const std::array<Index, 3>& most) {
  std::array<Index, 3> shift{};
  if (pass == 0) return shift;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double at = random_uniform(seed, 3 * static_cast<std::uint64_t>(pass) + axis);
    shift[axis] = std::min(static_cast<Index>(at * static_cast<double>(most[axis])), most[axis] - 1);
  }
  return shift;
}

}  // namespace whorl

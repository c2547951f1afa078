// The lags of a convolution on a periodic grid.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/shape.hpp"

namespace whorl {

/// Factors of the pixels of the impulse's image: 0 for the lag -m/2, which no pair of pixels has and whose counterpart m/2
/// is missing; else 1.
template <class Real>
std::array<std::vector<Real>, 3> lags_with_counterpart(const std::array<Index, 3>& extent) {
  std::array<std::vector<Real>, 3> factor;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    factor[axis].assign(static_cast<std::size_t>(extent[axis]), Real(1));
    if (extent[axis] > 1) factor[axis].front() = 0;
  }
  return factor;
}

}  // namespace whorl

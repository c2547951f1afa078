// Differences as their kernels take them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "kernels/penalties/differences.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/differences.hpp"

namespace whorl {

/// Throws  ValueError (no axis, a cyclic one without differences)
inline void check_difference_axes(const std::string& operation, DifferenceAxes axes, DifferenceAxes cyclic) {
  if (axes.count() == 0) {
    throw ValueError(fmt::format("{}: no axis, expected one or more of frame, z, y and x", operation));
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (cyclic.flags()[axis] && !axes.flags()[axis]) {
      throw ValueError(
          fmt::format("{}: cyclic along an axis without differences, expected some of their axes", operation));
    }
  }
}

/// Differences of whorl/op/differences.hpp: each over 2 sqrt(n).
template <class Real>
kernels::Differences<Real> difference_kernel(const std::array<Index, 4>& extent, DifferenceAxes axes,
                                             DifferenceAxes cyclic = {}) {
  const auto scale = static_cast<Real>(1 / (2 * std::sqrt(axes.count())));
  kernels::Differences<Real> kernel{
      extent, {axes.frame ? scale : 0, axes.z ? scale : 0, axes.y ? scale : 0, axes.x ? scale : 0}};
  kernel.cyclic = cyclic.flags();
  return kernel;
}

}  // namespace whorl

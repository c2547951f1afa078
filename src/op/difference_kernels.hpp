// Differences as their kernels take them.
#pragma once

#include <cmath>

#include "kernels/penalties/differences.hpp"
#include "whorl/op/differences.hpp"

namespace whorl {

/// Those of whorl/op/differences.hpp: each over 2 sqrt(n).
template <class Real>
kernels::Differences<Real> difference_kernel(const std::array<Index, 4>& extent, DifferenceAxes axes) {
  const auto scale = static_cast<Real>(1 / (2 * std::sqrt(axes.count())));
  return {extent, {axes.frame ? scale : 0, axes.z ? scale : 0, axes.y ? scale : 0, axes.x ? scale : 0}};
}

}  // namespace whorl

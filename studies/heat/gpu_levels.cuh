// The factors of cyclic reduction as a kernel takes them.
#pragma once

#include <limits>

#include "studies/heat/gpu_line.cuh"
#include "studies/heat/line_steps.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::heat {

template <class Real>
Levels<Real> levels_of(double a) {
  const Reduction reduction = reduce(a, std::numeric_limits<Real>::epsilon());
  Levels<Real> levels{};
  if (reduction.factors.size() > most_levels) throw ValueError("heat: steps too long for cyclic reduction");
  for (const double factor : reduction.factors) levels.factors[levels.count++] = static_cast<Real>(factor);
  levels.scale = static_cast<Real>(reduction.scale);
  return levels;
}

/// Three lines in shared memory.
template <class Real>
std::size_t reduction_bytes(int n) {
  return 3 * static_cast<std::size_t>(n) * sizeof(Real);
}

}  // namespace whorl::studies::heat

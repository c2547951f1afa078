// Gridding on the CPU: tiles in cache, no atomics, the same result for any number of threads.
#pragma once

#include <memory>

#include "kernels/gridding.hpp"

namespace whorl::backend::cpu {

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry);

}  // namespace whorl::backend::cpu

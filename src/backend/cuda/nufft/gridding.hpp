// Gridding on a GPU: no atomics, the same result in every run.
#pragma once

#include <memory>

#include "kernels/gridding.hpp"

namespace whorl::backend::cuda {

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_gridding_plan(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry);

}  // namespace whorl::backend::cuda

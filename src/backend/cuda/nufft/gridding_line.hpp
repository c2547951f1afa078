// Gridding of grids that have one axis, on a GPU.
#pragma once

#include <memory>

#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"

namespace whorl::backend::cuda {

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_line_gridding(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry);

/// What such a plan for a grid of `points` points takes.
kernels::GriddingMemory line_gridding_memory(Index samples, Index points, Index real_bytes);

}  // namespace whorl::backend::cuda

// Exact sums between samples and arbitrary positions on a CUDA device.
#pragma once

#include "kernels/position_dft.hpp"

namespace whorl::backend::cuda {

template <class Real>
std::shared_ptr<const kernels::PositionDftPlan<Real>> make_position_dft_plan(const Context& ctx,
                                                                             ArrayRef<const double> points,
                                                                             ArrayRef<const double> positions);

}  // namespace whorl::backend::cuda

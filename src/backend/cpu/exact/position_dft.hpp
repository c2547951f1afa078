#pragma once

#include "kernels/position_dft.hpp"

namespace whorl::backend::cpu {

template <class Real>
std::shared_ptr<const kernels::PositionDftPlan<Real>> make_position_dft_plan(const Context& ctx,
                                                                             ArrayRef<const double> points,
                                                                             ArrayRef<const double> positions);

}  // namespace whorl::backend::cpu

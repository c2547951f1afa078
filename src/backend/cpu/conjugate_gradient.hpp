// Steps of conjugate gradient on the CPU.
#pragma once

#include "kernels/conjugate_gradient.hpp"

namespace whorl::backend::cpu {

template <class Real>
std::unique_ptr<kernels::ConjugateGradientSteps> make_conjugate_gradient_steps(
    const Context& ctx, const kernels::ConjugateGradientVectors<Real>& vectors,
    const std::vector<kernels::ConjugateGradientStart>& start);

}  // namespace whorl::backend::cpu

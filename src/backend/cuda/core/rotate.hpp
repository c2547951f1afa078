// Grids whose origin moves, on a GPU.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

template <class Real>
void rotate(const Context& ctx, const std::array<Index, 3>& extent, const std::array<Index, 3>& shift,
            const std::complex<Real>* in, std::complex<Real>* out);

}  // namespace whorl::backend::cuda

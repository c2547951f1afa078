// Kernel: grids whose origin moves.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// out[(z + shift_z) mod nz, (y + shift_y) mod ny, (x + shift_x) mod nx] = in[z, y, x]; the two do not overlap.
template <class Real>
inline CoreKernel<void(const Context&, const std::array<Index, 3>& extent, const std::array<Index, 3>& shift,
                       const std::complex<Real>* in, std::complex<Real>* out)>
    rotate{"rotation of a grid"};

}  // namespace whorl::kernels

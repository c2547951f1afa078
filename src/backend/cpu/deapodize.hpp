#pragma once

#include "kernels/deapodize.hpp"

namespace whorl::backend::cpu {

template <class Real>
void pad_deapodize(const Context& ctx, const kernels::DeapodizeShape<Real>& shape, const std::complex<Real>* images,
                   std::complex<Real>* grids, Index batch);

template <class Real>
void crop_deapodize(const Context& ctx, const kernels::DeapodizeShape<Real>& shape, const std::complex<Real>* grids,
                    std::complex<Real>* images, Index batch);

}  // namespace whorl::backend::cpu

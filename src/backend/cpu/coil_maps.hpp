// Coil maps, on a CPU.
#pragma once

#include <complex>

#include "kernels/coil_maps.hpp"

namespace whorl::backend::cpu {

template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration);
template <class Real>
Index espirit_maps(const Context& ctx, const kernels::EspiritOperator& g, Real threshold,
                   const kernels::MapTarget<Real>& target, Real* eigenvalues);
template <class Real>
Index walsh_maps(const Context& ctx, const std::complex<Real>* images, Index block,
                 const kernels::MapTarget<Real>& target);

}  // namespace whorl::backend::cpu

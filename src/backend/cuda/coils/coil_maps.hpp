// Coil maps, on a GPU.
#pragma once

#include <complex>

#include "kernels/coil_maps.hpp"

namespace whorl::backend::cuda {

/// Patches of the calibration region that are multiplied at a time.
inline constexpr Index espirit_patches_at_once = 2048;

Index espirit_memory(const Context& ctx, const kernels::EspiritSizes& sizes, Index real_bytes);
template <class Real>
kernels::EspiritOperator make_espirit_operator(const Context& ctx,
                                               const kernels::EspiritCalibration<Real>& calibration);
template <class Real>
Index espirit_maps(const Context& ctx, const kernels::EspiritOperator& g, Real threshold,
                   const kernels::MapTarget<Real>& target, Real* eigenvalues);
template <class Real>
Index walsh_maps(const Context& ctx, const std::complex<Real>* images, Index block,
                 const kernels::MapTarget<Real>& target);

}  // namespace whorl::backend::cuda

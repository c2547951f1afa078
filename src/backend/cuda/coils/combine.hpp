// One image from the images of the coils, on a GPU.
#pragma once

#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

template <class Real>
void root_sum_of_squares(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images, Real* image);
template <class Real>
void matched_combination(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images,
                         const std::complex<Real>* maps, std::complex<Real>* image);
template <class Real>
void unit_maps(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* maps, std::complex<Real>* unit);

}  // namespace whorl::backend::cuda

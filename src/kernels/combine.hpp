// Kernel family: one image from the images of the coils, voxel by voxel. Images and maps are [coil, voxel].
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// image = sqrt(sum_c |x_c|^2)
template <class Real>
inline Kernel<void(const Context&, Index coils, Index voxels, const std::complex<Real>* images, Real* image)>
    root_sum_of_squares{"coil combination"};

/// image = sum_c conj(s_c) x_c / sum_c |s_c|^2, 0 where all s_c are 0
template <class Real>
inline Kernel<void(const Context&, Index coils, Index voxels, const std::complex<Real>* images,
                   const std::complex<Real>* maps, std::complex<Real>* image)>
    matched_combination{"coil combination"};

/// unit_c = s_c / sqrt(sum_d |s_d|^2), 0 where all s_c are 0
template <class Real>
inline Kernel<void(const Context&, Index coils, Index voxels, const std::complex<Real>* maps, std::complex<Real>* unit)>
    unit_maps{"coil maps"};

}  // namespace whorl::kernels

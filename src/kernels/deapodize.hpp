// Kernel family: between an image and the corners of a larger periodic grid, with one real factor per axis and pixel.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Image and grid of three axes, z first (2D: one plane). Pixel i of an axis of n pixels is grid point
/// (i - floor(n/2)) modulo the grid's extent.
template <class Real>
struct DeapodizeShape {
  std::array<Index, 3> image;
  std::array<Index, 3> grid;
  std::array<const Real*, 3> factor;  ///< one factor per pixel of the axis
};

/// grid = image * factors, zero elsewhere
template <class Real>
inline Kernel<void(const Context&, const DeapodizeShape<Real>&, const std::complex<Real>*, std::complex<Real>*, Index)>
    pad_deapodize{"pad_deapodize"};

/// image = grid * factors
template <class Real>
inline Kernel<void(const Context&, const DeapodizeShape<Real>&, const std::complex<Real>*, std::complex<Real>*, Index)>
    crop_deapodize{"crop_deapodize"};

}  // namespace whorl::kernels

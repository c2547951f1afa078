// Kernel family: the exact sum between an image and samples, the oracle of all faster transforms.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

namespace whorl::kernels {

struct DftGeometry {
  ArrayRef<const double> points;  ///< [sample, dim] in cycles per pixel, x first
  std::array<Index, 3> image;     ///< extents z, y, x; 1 where there is no axis
  double scale;
  double tolerance = 0;  ///< allowed relative error; some backends are faster if it is large
};

/// samples [batch, sample] = scale * sum over pixels of image [batch, z, y, x] exp(-2 pi i k.r)
template <class Real>
inline Kernel<void(const Context&, const DftGeometry&, const std::complex<Real>*, std::complex<Real>*, Index)>
    dft_forward{"dft forward"};

/// image = scale * sum over samples of sample exp(+2 pi i k.r)
template <class Real>
inline Kernel<void(const Context&, const DftGeometry&, const std::complex<Real>*, std::complex<Real>*, Index)>
    dft_adjoint{"dft adjoint"};

}  // namespace whorl::kernels

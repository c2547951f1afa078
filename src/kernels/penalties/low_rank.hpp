// Kernel family: singular values of the patches of a series of images.
#pragma once

#include <algorithm>
#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// A series [image, z, y, x], cut into patches that tile it and wrap around its ends. Patch p along an axis begins at
/// (shift + p * patch) modulo the extent and has `patch` pixels; the last one may have fewer. The matrix M of a patch
/// has a column for each image and a row for each pixel.
struct Patches {
  Index images = 1;
  std::array<Index, 3> extent{};
  std::array<Index, 3> patch{};  ///< 1 <= patch <= extent
  std::array<Index, 3> shift{};  ///< 0 <= shift < extent

  /// The shorter side of the matrices, at most.
  Index rank() const { return std::min(images, patch[0] * patch[1] * patch[2]); }
};

/// The longest that this side may be.
inline constexpr Index most_low_rank = 64;

/// The singular values s of each M become max(0, s - threshold), in place; the result is the sum of these over all patches.
/// They are the roots of the eigenvalues of M^H M (or of M M^H, if that is smaller), which is summed in double. So singular
/// values below about 1e-7 of the largest are only rounding.
template <class Real>
inline Kernel<double(const Context&, const Patches&, double threshold, std::complex<Real>* series)>
    shrink_singular_values{"low rank"};

/// The sum of the singular values of all patches.
template <class Real>
inline Kernel<double(const Context&, const Patches&, const std::complex<Real>* series)> nuclear_norm{"low rank"};

}  // namespace whorl::kernels

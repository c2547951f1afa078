// Objects made of ellipses (2D) or ellipsoids (3D), whose Fourier transform is known in closed form.
#pragma once

#include <array>
#include <complex>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// A region of constant intensity. Lengths are in halves of the field of view: 0 is the center of voxel floor(N/2),
/// 1 lies N/2 pixels from it. In 2D the z components are not used.
struct Ellipsoid {
  std::array<double, 3> center{0, 0, 0};     ///< x, y, z
  std::array<double, 3> semi_axes{1, 1, 1};  ///< before the rotation along x, y, z
  double angle = 0;                          ///< rotation about z in radians, from x towards y
  double intensity = 1;                      ///< added to what else lies there
};

/// Exact k-space of the object f, a sum of ellipsoids:
///
///   F(k) = 1/sqrt(voxels) * integral f(r) exp(-2 pi i k.r) dr,
///
/// r in pixels from the center, so that the adjoint of a fully sampled, density compensated transform gives f back.
/// Per ellipse of semi-axes A, B pixels F is 2 pi A B J1(x)/x and per ellipsoid 4 pi A B C (sin x - x cos x)/x^3,
/// with x = 2 pi |(A k_1, B k_2, C k_3)| in the ellipsoid's own axes, times the phase of its center.
///
/// Shapes   matrix x, y, z (z = 1: 2D); points [sample, dim]; result [sample]
/// Units    points in cycles per pixel, finite, of any size
/// Accuracy a few roundings of double per ellipsoid
/// Throws   ShapeError, ValueError (matrix, points, or ellipsoids without positive size)
/// Source   2D: Van de Walle et al., "Reconstruction of MR images from data acquired on a general nonregular grid by
///          pseudoinverse calculation", IEEE Trans Med Imaging 19:1160 (2000); 3D: Koay, Sarlls, Ozarslan,
///          "Three-dimensional analytical magnetic resonance imaging phantom in the Fourier domain", Magn Reson Med
///          58:430 (2007)
Array<std::complex<double>> ellipsoid_samples(const Context& ctx, std::span<const Ellipsoid> ellipsoids,
                                              const std::array<Index, 3>& matrix, ArrayRef<const double> points);

/// The object on the grid of the image: each voxel is the mean over subsamples^dim points spread evenly over its
/// volume (1: the value at its center).
///
/// Shapes   matrix x, y, z (z = 1: 2D); result [y, x] or [z, y, x]
/// Throws   ValueError (matrix, subsamples, ellipsoids)
template <class Real>
Array<Real> rasterize(const Context& ctx, std::span<const Ellipsoid> ellipsoids, const std::array<Index, 3>& matrix,
                      int subsamples);

}  // namespace whorl

// Phantoms: objects with exactly known k-space, and their images.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/phantom/figure.hpp"

namespace WHORL_PUBLIC whorl {

/// The properties of a tissue that a measurement detects.
struct Tissue {
  double intensity = 0;
  double r2_star = 0;        ///< 1/s
  double off_resonance = 0;  ///< Hz, of the tissue itself (chemical shift), in addition to the main field

  friend Tissue operator-(const Tissue& a, const Tissue& b) {
    return {a.intensity - b.intensity, a.r2_star - b.r2_star, a.off_resonance - b.off_resonance};
  }
};

/// A figure of one tissue. Its three values are added to those of the other regions at the same position. So a region
/// inside another one holds the difference of the two tissues.
struct Region {
  PhantomFigure figure;
  Tissue added;
};

/// A sphere filled with air, which disturbs the field around it; lengths as those of figures.
struct AirSphere {
  std::array<double, 3> center{0, 0, 0};
  double radius = 0;
};

/// The main field, in Hz from the scanner's center frequency: solid harmonics, as of a shim, and air-filled cavities in
/// water at 3 T.
struct MainField {
  /// Coefficients of 1, x, y, z, xy, yz, z^2 - (x^2 + y^2)/2, xz, x^2 - y^2, in Hz at a distance of half the field of
  /// view.
  std::array<double, 9> harmonics{};
  std::vector<AirSphere> air;
};

struct Phantom {
  std::string name;
  int dim = 2;
  std::vector<Region> regions;
  MainField field{};
};

/// Exact k-space of the object f, the sum of the intensities of the regions:
///
///   F(k) = 1/sqrt(voxels) * integral f(r) exp(-2 pi i k.r) dr,
///
/// with r in pixels from the center. The adjoint of a fully sampled, density compensated transform gives f back. A unit
/// figure stretched by a matrix A has the transform |det A| U(A^T k). With x = 2 pi |k|, U is 2 pi J1(x)/x for the
/// disk, 4 pi (sin x - x cos x)/x^3 for the ball, and a product of sinc for the cube. Contours are integrated along
/// their edge by Green's theorem: F = i/(2 pi |k|^2) * contour integral of exp(-2 pi i k.r) (k_x dy - k_y dx), in
/// closed form for polygons and by Gauss-Legendre quadrature for splines.
///
/// Shapes   matrix x, y, z (z = 1: 2D); points [sample, dim]; result [sample]
/// Units    points in cycles per pixel, at most 1e6 along each axis
/// Accuracy 1e-12 of a region's area or volume, splines 1e-9 (tested, test/unit/phantom)
/// Throws   ShapeError, ValueError (matrix of another dim than the phantom, points, figures without positive size, a
///          spline at so large a k that its quadrature needs more than 2^17 nodes), Cancelled
/// Source   2D: Van de Walle et al., "Reconstruction of MR images from data acquired on a general nonregular grid by
///          pseudoinverse calculation", IEEE Trans Med Imaging 19:1160 (2000); 3D: Koay, Sarlls, Ozarslan,
///          "Three-dimensional analytical magnetic resonance imaging phantom in the Fourier domain", Magn Reson Med
///          58:430 (2007); contours: Guerquin-Kern, Lejeune, Pruessmann, Unser, "Realistic analytical phantoms for
///          parallel magnetic resonance imaging", IEEE Trans Med Imaging 31:626 (2012)
Array<std::complex<double>> phantom_samples(const Context& ctx, const Phantom& phantom,
                                            const std::array<Index, 3>& matrix, ArrayRef<const double> points);

/// The object on the grid of the image: each voxel is the mean over subsamples^dim evenly spaced points in its volume
/// (1: the value at its center). Splines are approximated by polygons of 32 chords per segment.
///
/// Shapes   matrix x, y, z (z = 1: 2D); result [y, x] or [z, y, x]
/// Throws   ValueError (matrix, subsamples below 1 or above 64, figures)
template <Precision Real>
WHORL_PUBLIC Array<Real> rasterize(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix,
                                   int subsamples);

/// R2* in 1/s at the centers of the voxels. Shapes and errors as rasterize.
Array<float> r2_star_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix);

/// Off-resonance in Hz at the centers of the voxels: the main field, which is smooth outside the air, plus that of the
/// tissues. Air has the susceptibility of vacuum, all else that of water, -9.05e-6. The main field of 3 T (127.7 MHz)
/// is along z. At the distance r and the angle theta from z, a sphere of radius a adds
///
///   127.7 MHz * 9.05e-6 / 3 * (a/r)^3 (3 cos^2 theta - 1)
///
/// outside, and nothing inside. Distances assume a field of view of equal length along each axis.
///
/// Shapes and errors as rasterize.
///
/// Source   Schenck, "The role of magnetic susceptibility in magnetic resonance imaging: MRI magnetic compatibility of
///          the first and second kinds", Med Phys 23:815 (1996)
Array<float> field_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix);

}  // namespace whorl

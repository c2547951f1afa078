// Phantoms: objects whose k-space is known exactly, and their images.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/phantom/figure.hpp"

namespace whorl {

/// What a measurement sees of a place.
struct Tissue {
  double intensity = 0;
  double r2_star = 0;        ///< 1/s
  double off_resonance = 0;  ///< Hz, by the tissue itself (chemical shift); the field of the magnet comes on top

  friend Tissue operator-(const Tissue& a, const Tissue& b) {
    return {a.intensity - b.intensity, a.r2_star - b.r2_star, a.off_resonance - b.off_resonance};
  }
};

/// A figure of one tissue. All three values are added to those of what else lies there: a region inside another one
/// carries the difference of the two tissues.
struct Region {
  Figure figure;
  Tissue added;
};

/// A sphere filled with air, whose magnetization disturbs the field around it; lengths as those of figures.
struct AirSphere {
  std::array<double, 3> center{0, 0, 0};
  double radius = 0;
};

/// The main field, in Hz from the scanner's center frequency: solid harmonics as a shim makes them, and air-filled
/// cavities in water at 3 T.
struct MainField {
  /// Of 1, x, y, z, xy, yz, z^2 - (x^2 + y^2)/2, xz, x^2 - y^2, in Hz at a distance of half the field of view.
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
/// r in pixels from the center, so that the adjoint of a fully sampled, density compensated transform gives f back.
/// With the unit figure stretched by a matrix A, its transform is |det A| U(A^T k), where U is 2 pi J1(x)/x for the
/// disk and 4 pi (sin x - x cos x)/x^3 for the ball, x = 2 pi |k|, and a product of sinc for the cube. Contours are
/// integrated along their edge, by the theorem of Green: F = i/(2 pi |k|^2) * contour integral of exp(-2 pi i k.r)
/// (k_x dy - k_y dx), for the straight edges of polygons in closed form and for splines by Gauss-Legendre quadrature.
///
/// Shapes   matrix x, y, z (z = 1: 2D); points [sample, dim]; result [sample]
/// Units    points in cycles per pixel, at most 1e6 along each axis
/// Accuracy of a region's area or volume: 1e-12, splines 1e-9 (tested, test/unit/phantom)
/// Throws   ShapeError, ValueError (matrix of another dim than the phantom, points, figures without positive size, a
///          spline at a k so large that its quadrature needs more than 2^17 nodes), Cancelled
/// Source   2D: Van de Walle et al., "Reconstruction of MR images from data acquired on a general nonregular grid by
///          pseudoinverse calculation", IEEE Trans Med Imaging 19:1160 (2000); 3D: Koay, Sarlls, Ozarslan,
///          "Three-dimensional analytical magnetic resonance imaging phantom in the Fourier domain", Magn Reson Med
///          58:430 (2007); contours: Guerquin-Kern, Lejeune, Pruessmann, Unser, "Realistic analytical phantoms for
///          parallel magnetic resonance imaging", IEEE Trans Med Imaging 31:626 (2012)
Array<std::complex<double>> phantom_samples(const Context& ctx, const Phantom& phantom,
                                            const std::array<Index, 3>& matrix, ArrayRef<const double> points);

/// The object on the grid of the image: each voxel is the mean over subsamples^dim points spread evenly over its
/// volume (1: the value at its center). Splines are taken as polygons of 32 chords per segment.
///
/// Shapes   matrix x, y, z (z = 1: 2D); result [y, x] or [z, y, x]
/// Throws   ValueError (matrix, subsamples below 1 or above 64, figures)
template <class Real>
Array<Real> rasterize(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix, int subsamples);

/// R2* in 1/s at the centers of the voxels. Shapes and errors as rasterize.
Array<float> r2_star_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix);

/// Off-resonance in Hz at the centers of the voxels: the main field, which is smooth outside the air, and the
/// tissues' own. Air has the susceptibility of vacuum and the rest that of water, -9.05e-6; the main field of 3 T
/// (127.7 MHz) lies along z, and a sphere of radius a at a distance r in the direction theta from it adds
///
///   127.7 MHz * 9.05e-6 / 3 * (a/r)^3 (3 cos^2 theta - 1)
///
/// outside, and nothing inside. Distances are those of a field of view that is as long along each axis.
///
/// Shapes and errors as rasterize.
/// Source   Schenck, "The role of magnetic susceptibility in magnetic resonance imaging: MRI magnetic compatibility of
///          the first and second kinds", Med Phys 23:815 (1996)
Array<float> field_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix);

}  // namespace whorl

// Coil sensitivity maps from the measured data.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Sensitivities, normalized to sum_c |s_c|^2 = 1 where they are defined, and 0 elsewhere. The data do not determine
/// their common phase. It is set such that the virtual coil with the most signal (the first principal component) has
/// phase 0.
template <class Real>
struct CoilMaps {
  Array<std::complex<Real>> maps;  ///< [coil, (z,) y, x]
  Array<Real> eigenvalues;         ///< ESPIRiT: largest eigenvalue of each voxel [(z,) y, x], about 1 in the object
  Index voxels_in_support = 0;     ///< number of voxels where the maps are not 0
};

struct EspiritOptions {
  Index kernel = 0;  ///< extent of the kernel along each axis; 0: 6 in 2D, 5 in 3D, and half of a smaller region
  /// Relative to the largest one; singular vectors below it count as noise. It falls, down to a tenth, where the border of the
  /// calibration region has little: weak parts of a smooth object span small singular values.
  double singular_value_threshold = 0.02;
  double eigenvalue_threshold = 0.8;  ///< the maps are 0 where the eigenvalue is less; 0 to 1
};

/// ESPIRiT: the patches of the calibration region span a space. The operator W (extract patches, project them onto that
/// space, put them back, average) leaves valid data unchanged. In image space W is a small matrix per voxel,
///
///   G_cd(r) = 1/patch * sum over p, p' of P_(p,c),(p',d) exp(-2 pi i (p' - p).r / N),
///
/// with P the projector. The sensitivities are the eigenvector of G with eigenvalue 1. Only one set of maps is
/// computed. G is a trigonometric polynomial of 2 kernel - 1 terms per axis, evaluated row by row.
///
/// Shapes   calibration [coil, ky, kx] or [coil, kz, ky, kx], Cartesian k-space in steps of one cycle per field of
///          view, with k = 0 at floor(extent / 2); image_shape [y, x] or [z, y, x]
/// Accuracy singular values in double, eigenvectors to rounding of Real
/// Memory   the maps, and square matrices of n = coils * kernel^dim complex doubles along each side: on a CPU one per
///          thread, at least three; on a GPU four. If the calibration region has fewer than n patches, a CPU uses two
///          matrices [n, patches] and three [patches, patches] instead. A CPU keeps the matrices of one row of voxels
///          per thread, a GPU those of several rows, up to 128 MiB
/// Progress four stages: correlations, signal space, operator, maps
/// Throws   ShapeError; ValueError (options out of range, calibration region smaller than the kernel, all zero or not
///          finite)
/// Source   Uecker, Lai, Murphy, Virtue, Elad, Pauly, Vasanawala, Lustig, "ESPIRiT - an eigenvalue approach to
///          autocalibrating parallel MRI: where SENSE meets GRAPPA", Magn Reson Med 71:990 (2014)
template <class Real>
WHORL_PUBLIC CoilMaps<Real> espirit(const Context& ctx, ArrayRef<const std::complex<Real>> calibration,
                                    const Shape& image_shape, const EspiritOptions& options);

struct WalshOptions {
  Index block = 7;  ///< odd extent of the neighborhood along each axis, cut at the edge of the image
};

/// Walsh's adaptive method: the sensitivities of a voxel are the eigenvector of the largest eigenvalue of sum x x^H,
/// the covariance of the coils' images over its neighborhood. The noise must be white (prewhitened data). Maps are
/// defined wherever the neighborhood has any signal, including noise.
///
/// Shapes   images [coil, y, x] or [coil, z, y, x]
/// Accuracy eigenvectors to rounding of Real
/// Throws   ShapeError, ValueError (even or negative block, a pixel that is not finite)
/// Source   Walsh, Gmitro, Marcellin, "Adaptive reconstruction of phased array MR imagery", Magn Reson Med 43:682
///          (2000), with the noise covariance equal to the identity
template <class Real>
WHORL_PUBLIC CoilMaps<Real> walsh(const Context& ctx, ArrayRef<const std::complex<Real>> images,
                                  const WalshOptions& options);

}  // namespace whorl

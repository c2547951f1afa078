// Reference images of the same patient, for an anatomical prior.
#pragma once

#include <string>

#include "whorl/core/array.hpp"
#include "whorl/scan/affine.hpp"

namespace WHORL_PUBLIC whorl {

/// An image of any contrast, and its position.
struct ReferenceImage {
  std::string source;   ///< path of the file
  Array<float> values;  ///< [z, y, x] or [y, x], on the host
  Affine affine;        ///< from voxels to RAS+ millimeters, also for a slice
};

struct ResampledReference {
  Array<float> values;    ///< [z, y, x], [y, x] in 2D; on the host, 0 outside the reference
  double covered = 0;     ///< part of the voxels that the reference covers, above 0
  bool by_index = false;  ///< copied voxel by voxel, because one of the two has no position in the scanner
};

/// The reference on the grid of a reconstruction, for any orientation, voxel size and extent. Evenly spaced points
/// divide a voxel along its three edges (in 2D the third is the thickness of the slice) into steps no longer than the
/// reference's voxels. The result is the mean over these points of the reference, linearly interpolated along each
/// axis. If the reference's voxels divide the voxel evenly, that is their mean. A voxel is covered if half of its
/// points are inside the reference; its mean is over those. A reference whose slices together are thinner than a voxel
/// counts as that thick, about its middle: one slice covers the thicker slice in which it lies.
///
/// If one of the two has no position in the scanner (no field of view in the geometry, no code in the file), a
/// reference with exactly the image's shape is copied voxel by voxel.
///
/// Shapes  matrix: x, y, z, as Scan's
/// Throws  ValueError (a reference that covers nothing, one without a position and of another shape, a singular affine,
///         voxels smaller than 1/64 of the image's), and as voxel_affine
ResampledReference resample(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
                            const std::array<Index, 3>& matrix);

}  // namespace whorl

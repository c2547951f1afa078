// Images of the same patient that a reconstruction goes by.
#pragma once

#include <string>

#include "whorl/core/array.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

/// One image of any contrast, and where it lies.
struct ReferenceImage {
  std::string source;   ///< path of the file
  Array<float> values;  ///< [z, y, x] or [y, x], on the host
  Affine affine;        ///< from voxels to RAS+ millimeters, of a slice too
};

struct ResampledReference {
  Array<float> values;    ///< [z, y, x], [y, x] in 2D; on the host, 0 outside the reference
  double covered = 0;     ///< part of the voxels that the reference covers, above 0
  bool by_index = false;  ///< taken voxel by voxel, since one of the two has no place in the scanner
};

/// The reference on the grid of a reconstruction, whatever its orientation, voxels and extent. A voxel is the mean over
/// points that divide it evenly along its three edges, which are those of the slab in 2D, into steps no longer than the
/// reference's voxels; between these values are interpolated linearly along each axis. Where the reference's voxels are
/// whole parts of the voxel, that is their mean. A voxel is covered where half of its points lie in the reference's
/// voxels; its mean is over those.
///
/// Without a place in the scanner (no field of view in the geometry, no code in the file) a reference of the very shape
/// of the image is taken voxel by voxel.
///
/// Shapes  matrix: x, y, z, as Scan's
/// Throws  ValueError (a reference that covers nothing, without a place and of another shape, with a broken affine, or
///         with voxels less than 1/64 of the image's), and what voxel_affine throws
ResampledReference resample(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
                            const std::array<Index, 3>& matrix);

}  // namespace whorl

// Images as NIfTI-1 files (.nii, .nii.gz).
#pragma once

#include <complex>
#include <filesystem>

#include "whorl/core/array.hpp"
#include "whorl/io/scan.hpp"

namespace whorl {

/// Writes one volume, or a series of volumes on one grid, as NIfTI-1 in one file; a path that ends in .gz is
/// compressed.
///
/// Shapes  images [frame, z, y, x], [z, y, x] or [y, x]. Memory is written as it is: NIfTI's first index runs fastest,
///         so that its i, j, k, t are x, y, z, frame.
/// Units   millimeters. The unit of the fourth axis is left unknown: frames may be repetitions, contrasts or phases.
/// Place   qform and sform both hold voxel_affine(geometry) (io/affine.hpp), the qform to the precision of its
///         quaternion in float (about 3e-4 rad at worst); code 1 (scanner), or 0 (unknown) where the geometry has no
///         field of view.
/// Values  float32 or complex64, as they are
/// Throws  ShapeError (rank, an empty axis, more than 32767 along an axis), ValueError (file name, geometry), IoError,
///         Cancelled
/// Source  nifti1.h, Cox et al., 2004: methods 2 and 3 of "3D image (volume) orientation and location in space"
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
                 const Geometry& geometry);
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const std::complex<float>> images,
                 const Geometry& geometry);

}  // namespace whorl

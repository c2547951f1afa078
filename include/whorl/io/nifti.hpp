// Images as NIfTI files (.nii, .nii.gz).
#pragma once

#include <complex>
#include <filesystem>

#include "whorl/core/array.hpp"
#include "whorl/io/any_array.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

/// Writes an array as NIfTI-1 in one file; a path that ends in .gz is compressed.
///
/// Shapes  1 to 7 axes. Memory is written as it is: NIfTI's first index runs fastest, so that its i, j, k, t are x, y,
///         z, frame.
/// Units   millimeters. The unit of the fourth axis is left unknown: frames may be repetitions, contrasts or phases.
/// Place   qform and sform both hold the affine, the qform to the precision of its quaternion in float (about 3e-4 rad
///         at worst); code 1 (scanner), or 0 (unknown) where the affine is not the scanner's.
/// Values  as they are; T is float, double, std::complex<float> or std::complex<double>
/// Throws  ShapeError (rank, an empty axis, more than 32767 along an axis), ValueError (file name), IoError, Cancelled
/// Source  nifti1.h, Cox et al., 2004: methods 2 and 3 of "3D image (volume) orientation and location in space"
template <class T>
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images, const Affine& affine);

/// The same for one volume or a series of volumes on one grid, [frame, z, y, x], [z, y, x] or [y, x] of float or
/// std::complex<float>, at voxel_affine(geometry) (scan/affine.hpp). Throws ValueError for a broken geometry, too.
template <class T>
void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images,
                 const Geometry& geometry);

struct NiftiImage {
  AnyArray values;  ///< C order: x, the file's first index, is the last axis
  Affine affine;    ///< to RAS+ millimeters; in_scanner says whether the file's codes place it
};

/// Reads a NIfTI-1 or NIfTI-2 file of one part (n+1, n+2), of either byte order, compressed or not. Numbers are scaled
/// as the file says (scl_slope, scl_inter); integers become float32 or float64 as read_arrays says
/// (io/array_files.hpp), scaled ones float64. Axes of extent 1 are dropped from the front.
///
/// Throws  IoError (damaged or truncated file), Unsupported (a pair .hdr/.img, colors, float128), Cancelled
NiftiImage read_nifti(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl

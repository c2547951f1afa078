// Images as NIfTI files (.nii, .nii.gz).
#pragma once

#include <complex>
#include <filesystem>

#include "whorl/core/array.hpp"
#include "whorl/io/any_array.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes an array as NIfTI-1 in one file; a path that ends in .gz is compressed.
///
/// Shapes  1 to 7 axes. Memory is written unchanged. NIfTI's first index is the fastest, so its i, j, k, t are x, y, z,
///         frame.
/// Units   millimeters. The fourth axis is time in seconds where frame_interval_ms is above 0; else its unit is marked
///         unknown: frames may be repetitions, contrasts or phases.
/// Affine  in both qform and sform; in the qform to the precision of its quaternion in float (about 3e-4 rad at worst).
///         Code 1 (scanner), or 0 (unknown) if the affine is not the scanner's.
/// Values  unchanged; T is float, double, std::complex<float> or std::complex<double>
/// Throws  ShapeError (rank, an empty axis, more than 32767 along an axis), ValueError (file name), IoError, Cancelled
/// Source  nifti1.h, Cox et al., 2004: methods 2 and 3 of "3D image (volume) orientation and location in space"
template <class T>
WHORL_PUBLIC void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images,
                              const Affine& affine, double frame_interval_ms = 0);

/// write_nifti for one volume or a series of volumes on one grid, [frame, z, y, x], [z, y, x] or [y, x] of float or
/// std::complex<float>, at voxel_affine(geometry) (scan/affine.hpp). Also throws ValueError for an invalid geometry.
template <class T>
WHORL_PUBLIC void write_nifti(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> images,
                              const Geometry& geometry, double frame_interval_ms = 0);

struct NiftiImage {
  AnyArray values;  ///< C order: x, the file's first index, is the last axis
  Affine affine;    ///< to RAS+ millimeters; in_scanner if the file's codes say so
};

/// Reads a single-file NIfTI-1 or NIfTI-2 (n+1, n+2), of either byte order, compressed or not. Values are scaled by the
/// file's scl_slope and scl_inter. Integers become float32 or float64 as in read_arrays (io/array_files.hpp), scaled
/// ones float64. Axes of extent 1 are dropped from the front.
///
/// Throws  IoError (damaged or truncated file), Unsupported (a pair .hdr/.img, colors, float128), Cancelled
NiftiImage read_nifti(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl

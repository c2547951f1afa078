// Reads DICOM images.
#pragma once

#include <filesystem>

#include "io/format.hpp"

namespace whorl::io {

bool is_dicom(const FileStart& file);

/// The image of a file as float32, [y, x], or [frame, y, x] of several frames: slope times stored value plus intercept.
/// The position is that of ImagePositionPatient, ImageOrientationPatient and PixelSpacing, where the file has them.
///
/// Reads uncompressed images in gray, in Explicit or Implicit VR Little Endian, of 8, 16 or 32 bits.
/// Throws  IoError (a damaged file; an image that is compressed, in color or not there)
/// Source  DICOM PS3.5 (7, data sets; 8, pixel data) and PS3.10 (7, files)
NamedArray read_dicom(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl::io

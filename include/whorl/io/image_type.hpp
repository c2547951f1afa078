// The formats that images can be written in, by the extensions of files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class ImageType {
  none,
  nifti,    ///< written frame by frame, and with a sidecar where that is asked for
  dicom,    ///< a file for each slice, which says how it was measured
  npy,      ///< numbers alone
  ismrmrd,  ///< complex images with their places
  png       ///< a picture: magnitudes as levels of gray, side by side
};

/// What the extension of a file's name tells, or an extension alone.
ImageType image_type(std::string_view name);

/// .nii, .nii.gz, .dcm, .npy, .h5 and .png.
std::vector<std::string> image_endings();

/// These, with commas.
std::string image_extensions();

}  // namespace whorl

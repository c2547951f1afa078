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

/// Type of an image by the extension of a file's name, or by an extension alone.
ImageType image_type(std::string_view name);

/// .nii, .nii.gz, .dcm, .npy, .h5 and .png.
std::vector<std::string> image_endings();

/// The extensions, joined with commas.
std::string image_extensions();

}  // namespace whorl

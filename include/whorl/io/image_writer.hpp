// Images into a file of the format that its name asks for.
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/io/png.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl {

enum class ImagePart { magnitude, complex };

struct ImageOptions {
  ImagePart part = ImagePart::magnitude;
  PngOptions png;  ///< for .png alone
};

struct WrittenImages {
  std::vector<std::filesystem::path> files;
  std::string note;  ///< why there is more than one file, a sentence for people; empty where there is one
};

/// Writes images in the format of the path's extension:
///
///   .nii, .nii.gz  NIfTI-1 (io/nifti.hpp). 2D frames that form a regular stack (scan/affine.hpp) become one volume per
///                  time, slices in the order of their positions. Frames that form no stack can not share a file: they
///                  go to image_1.nii.gz, image_2.nii.gz, ..., one for each distinct place.
///   .npy           [frame, z, y, x] as they are (io/npy.hpp)
///   .h5            ISMRMRD images (io/ismrmrd.hpp), always complex
///   .png           the magnitude, all frames and slices side by side (io/png.hpp)
///
/// Shapes   images [frame, z, y, x], z = 1 in 2D; one element of `frames` for each frame
/// Throws   ShapeError, ValueError (an extension that is not known, with the list of those that are; a complex PNG; a
///          broken geometry), IoError, Cancelled
WrittenImages write_image(const Context& ctx, const std::filesystem::path& path,
                          ArrayRef<const std::complex<float>> images, std::span<const ImageFrame> frames,
                          const ImageOptions& options = {});

/// Checks, before hours of work, what write_image would refuse after them: the extension, the folder, the options and
/// the geometries. Throws as write_image does.
void check_image_path(const std::filesystem::path& path, const Shape& images, std::span<const ImageFrame> frames,
                      const ImageOptions& options = {});

/// Throws ValueError, listing what is known, when the path's extension names no format.
void check_image_extension(const std::filesystem::path& path);

/// ".nii, .nii.gz, .npy, .h5, .png"
std::string image_extensions();

}  // namespace whorl

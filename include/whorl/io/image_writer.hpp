// Writing images in the format of the file's extension.
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/png.hpp"
#include "whorl/scan/image_frame.hpp"

namespace WHORL_PUBLIC whorl {

enum class ImagePart { magnitude, complex };

struct ImageOptions {
  ImagePart part = ImagePart::magnitude;
  PngOptions png;                ///< for .png only
  double frame_interval_ms = 0;  ///< of a series, for .nii and .nii.gz; 0: unknown, or no times
  bool bids_sidecar = false;     ///< for .nii and .nii.gz: the facts beside them as JSON
  MeasurementFacts facts{};      ///< for .dcm and sidecars
};

struct WrittenImages {
  std::vector<std::filesystem::path> files;
  std::string note;  ///< a sentence: why there is more than one image file; empty for one
};

/// Writes images in the format of the path's extension:
///
///   .nii, .nii.gz  NIfTI-1 (io/nifti.hpp). 2D frames that form a regular stack (scan/affine.hpp) become one volume per
///                  time, with slices in the order of their positions. Frames that form no stack cannot share a file:
///                  they are written to image_1.nii.gz, image_2.nii.gz, ..., one for each distinct geometry. A sidecar
///                  has the name with .json as its only extension.
///   .dcm           DICOM (io/dicom.hpp): magnitudes, one file for each slice of each frame
///   .npy           [frame, z, y, x] unchanged (io/npy.hpp)
///   .h5            ISMRMRD images (io/ismrmrd.hpp), always complex
///   .png           the magnitude, all frames and slices side by side (io/png.hpp)
///
/// Shapes   images [frame, z, y, x], z = 1 in 2D; one element of `frames` for each frame
/// Throws   ShapeError, ValueError (an unknown extension, listing the known ones; a complex PNG; an invalid geometry;
///          a magnitude that is not finite),
///          IoError, Cancelled
WrittenImages write_image(const Context& ctx, const std::filesystem::path& path,
                          ArrayRef<const std::complex<float>> images, std::span<const ImageFrame> frames,
                          const ImageOptions& options = {});

/// Check for use before a long computation: finds all that write_image would refuse after it (extension, folder, options,
/// geometries). Returns the files that write_image would write. Throws as write_image.
std::vector<std::filesystem::path> check_image_path(const std::filesystem::path& path, const Shape& images,
                                                    std::span<const ImageFrame> frames,
                                                    const ImageOptions& options = {});

/// Throws ValueError, listing the known extensions, if the path's extension names no format.
void check_image_extension(const std::filesystem::path& path);

}  // namespace whorl

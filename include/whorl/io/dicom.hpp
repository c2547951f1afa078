// Images as DICOM files (.dcm).
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/scan/image_frame.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes magnitudes as one series of MR images (MR Image Storage, Explicit VR Little Endian), a file for each slice of
/// each frame: image.dcm, or image_001.dcm, image_002.dcm, ... where there are several. Returns the files, which appear
/// together.
///
/// Shapes    images [frame, z, y, x]; one entry of `frames` for each frame
/// Values    16 bits; value = RescaleSlope stored, with one slope for the series, so that the largest value is 65535.
///           Rounded to half a slope.
/// Position  ImagePositionPatient, ImageOrientationPatient, PixelSpacing and SpacingBetweenSlices from the geometry of
///           the frame, in LPS millimeters
/// UIDs      2.25 and 128 bits of the SHA-256 of values and positions: the same images have the same UIDs
/// Facts     echo times go to the frames by contrast where there are as many as contrasts; else the first is stated
/// Throws    ShapeError, ValueError (a geometry without a field of view in the plane, values that are negative or not
///           finite, more than 65535 pixels along an axis), IoError, Cancelled
/// Source    DICOM PS3.3 (C.8.3, MR modules), PS3.5 (7, data sets) and PS3.10 (7, files)
std::vector<std::filesystem::path> write_dicom(const Context& ctx, const std::filesystem::path& path,
                                               ArrayRef<const float> images, std::span<const ImageFrame> frames,
                                               const MeasurementFacts& facts = {});

/// The files that write_dicom writes for images of this shape.
std::vector<std::filesystem::path> dicom_files(const std::filesystem::path& path, const Shape& images);

/// Throws what write_dicom does for these shapes and positions.
void check_dicom(const Shape& images, std::span<const ImageFrame> frames);

}  // namespace whorl

// Images for filters out of files of arrays, and back.
#pragma once

#include <optional>
#include <string>

#include "whorl/core/image.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::cli {

/// An image that was an array, and where its voxels lie.
struct ArrayImage {
  Image image;
  std::optional<Affine> affine;
  Shape leading;  ///< the axes that became volumes
};

/// How the axes in front of y are meant.
enum class LeadingAxes {
  stack,  ///< [..., z, y, x]
  flat,   ///< [..., y, x], slices that have nothing to do with each other
};

/// FILE or FILE:NAME as float32 pixels, gray or complex. Throws as read_array, and ShapeError for less than two axes.
ArrayImage read_array_image(const Context& ctx, const std::string& file, LeadingAxes axes);

/// The image as an array: [..., z, y, x], real or complex, or [channel, ...] of a picture with more than one channel.
/// `source` is what the image was made of: its place is kept where the extents are, and its leading axes where the
/// number of volumes is.
NamedArray array_of_image(const Context& ctx, const Image& image, const ArrayImage& source);

}  // namespace whorl::cli

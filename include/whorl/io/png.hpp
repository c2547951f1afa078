// Magnitude images as one PNG picture, for viewing.
#pragma once

#include <filesystem>
#include <optional>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The smallest whole factor that makes the longer side of a picture 512 pixels or more, for
/// viewing small matrices.
Index comfortable_zoom(Index width, Index height);

struct PngOptions {
  double low = 0;              ///< value of black
  std::optional<double> high;  ///< value of white; none: the 99.5th percentile of the shown images
  std::optional<Index> tiles;  ///< number of images to show, evenly spaced; none: all
  Index zoom = 1;              ///< side of the square for each pixel; 0: comfortable_zoom
};

/// Writes images side by side, row by row, as an 8-bit gray PNG. The number of columns makes the picture nearly square.
/// Pixels are square; y runs downward and x to the right.
///
/// The default window ends at the 99.5th percentile, because with the maximum a few bright voxels (vessels, spikes)
/// would make the rest dark. If that percentile is not above `low` (few voxels have all the signal), the window ends at
/// the maximum. Values outside the window are clipped. Equal images give files with equal bytes.
///
/// Shapes  images [..., y, x], rank 2 or more; all axes but the last two count images
/// Throws  ShapeError (rank, no pixels), ValueError (a non-finite pixel, high not above low, tiles below 1, zoom below
///         0, a picture of more than 65535 pixels per side), IoError, Cancelled
void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options = {});

/// For use before a long computation: throws what write_png would throw for any images of this shape, because of their
/// number, their size or the options.
void check_png(const Shape& images, const PngOptions& options = {});

}  // namespace whorl

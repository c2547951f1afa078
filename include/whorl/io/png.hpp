// Magnitude images as one PNG picture, to look at.
#pragma once

#include <filesystem>
#include <optional>

#include "whorl/core/array.hpp"

namespace whorl {

struct PngOptions {
  double low = 0;              ///< shown black
  std::optional<double> high;  ///< shown white; none: the 99.5th percentile of the images shown
  std::optional<Index> tiles;  ///< show so many images, evenly spaced; none: all
};

/// Writes images side by side, row by row, as an 8-bit gray PNG. The number of columns is the one that makes the
/// picture nearly square. Pixels are square; y runs downward and x to the right, as they are stored.
///
/// The default window ends at the 99.5th percentile, not at the maximum, since a few bright voxels (vessels, spikes)
/// would leave the rest dark; where that percentile is not above `low` (few voxels hold all the signal) it ends at the
/// maximum. Values outside the window are clipped. Equal images give equal bytes.
///
/// Shapes  images [..., y, x], rank 2 or more; all axes but the last two count images
/// Throws  ShapeError (rank, no pixels), ValueError (a non-finite pixel, high not above low, tiles below 1, a picture
/// of
///         more than 65535 pixels a side), IoError, Cancelled
void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options = {});

}  // namespace whorl

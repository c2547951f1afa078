// Images side by side in one picture, in color.
#pragma once

#include <optional>

#include "whorl/core/array.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl {

/// Values that a colormap's ends stand for.
struct DisplayWindow {
  double low = 0;
  double high = 1;
};

struct MontageOptions {
  Colormap colormap = Colormap::gray;
  std::optional<DisplayWindow> window{};  ///< none: default_window
  std::optional<Index> tiles{};           ///< show so many images, evenly spaced; none: all
  Index zoom = 1;                         ///< each pixel becomes a square of so many
};

/// The window of images that are not told any: from 0 to the 99.5th percentile, as write_png has it; where there are
/// negative values, symmetric around 0 with the 99.5th percentile of their magnitudes.
/// Throws as montage_picture.
DisplayWindow default_window(const Context& ctx, ArrayRef<const float> images, std::optional<Index> tiles = {});

/// The window between two percentiles of the values shown, 0 to 100. Throws as montage_picture, and ValueError for
/// percentiles out of range or order.
DisplayWindow percentile_window(ArrayRef<const float> images, double low, double high, std::optional<Index> tiles = {});

/// Images side by side as write_png lays them out (io/png.hpp): in a nearly square array, row by row. Places that are
/// left over are black.
///
/// Shapes  images [..., y, x], rank 2 or more; all axes but the last two count images
/// Throws  ShapeError, ValueError (a pixel that is not finite, a window without extent, tiles or zoom below 1, a
/// picture
///         of more than 65535 pixels a side)
Picture montage_picture(const Context& ctx, ArrayRef<const float> images, const MontageOptions& options = {});

}  // namespace whorl

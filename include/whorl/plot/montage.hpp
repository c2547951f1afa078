// Montages: images side by side in one color picture.
#pragma once

#include <optional>

#include "whorl/core/array.hpp"
#include "whorl/plot/picture.hpp"

namespace WHORL_PUBLIC whorl {

/// The values at the ends of a colormap.
struct DisplayWindow {
  double low = 0;
  double high = 1;
};

struct MontageOptions {
  Colormap colormap = Colormap::gray;
  std::optional<DisplayWindow> window{};  ///< none: default_window
  std::optional<Index> tiles{};           ///< number of images to show, evenly spaced; none: all
  Index zoom = 1;                         ///< side of the square for each pixel of an image, in pixels of the picture
};

/// The default window: from 0 to the 99.5th percentile, as in write_png; if there are negative values, symmetric around
/// 0 up to the 99.5th percentile of the magnitudes.
/// Throws as montage_picture.
DisplayWindow default_window(const Context& ctx, ArrayRef<const float> images, std::optional<Index> tiles = {});

/// The window of a map (T2*, off-resonance, g-factor): from the 2nd to the 98th percentile of the pixels that are not 0,
/// which is what maps have outside the object. If there are negative values, symmetric around 0 up to the 98th
/// percentile of the magnitudes. Values that are not finite do not count; a map of zeros has 0 to 1.
DisplayWindow map_window(const Context& ctx, ArrayRef<const float> images);

/// The window between two percentiles (0 to 100) of the shown values. Throws as montage_picture, and ValueError for
/// percentiles out of range or order.
DisplayWindow percentile_window(ArrayRef<const float> images, double low, double high, std::optional<Index> tiles = {});

/// Images side by side in a nearly square array, row by row, as in write_png (io/png.hpp). Unused tiles are black.
///
/// Shapes  images [..., y, x], rank 2 or more; all axes but the last two count images
/// Throws  ShapeError, ValueError (a pixel that is not finite, a window without extent, tiles or zoom below 1, a
///         picture of more than 65535 pixels per side)
Picture montage_picture(const Context& ctx, ArrayRef<const float> images, const MontageOptions& options = {});

}  // namespace whorl

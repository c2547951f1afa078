// Crop: cuts a rectangle out of an image.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct CropOptions {
  Index x = 0;                    ///< the first column
  Index y = 0;                    ///< the first row
  std::optional<Index> width{};   ///< none: up to the right edge
  std::optional<Index> height{};  ///< none: down to the last row
};

/// result(y, x) = input(y + options.y, x + options.x), in every slice. Takes every image.
/// Throws  ShapeError if the rectangle is not within the image
std::unique_ptr<Filter> make_crop(const CropOptions& options);

}  // namespace whorl

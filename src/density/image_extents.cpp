#include "density/image_extents.hpp"

#include <fmt/format.h>

namespace whorl::detail {

std::array<Index, 3> image_extents(const char* operation, ArrayRef<const double> points, const Shape& image_shape) {
  const int dim = points.rank() == 2 ? static_cast<int>(points.extent(1)) : 0;
  if ((dim != 2 && dim != 3) || image_shape.rank() != dim || image_shape.size() == 0) {
    throw ShapeError(
        fmt::format("{}: points {} and an image {}, expected [sample, 2] with [y, x] or [sample, 3] with "
                    "[z, y, x]",
                    operation, to_string(points.shape()), to_string(image_shape)));
  }
  return {image_shape[-1], image_shape[-2], dim == 3 ? image_shape[-3] : 1};
}

}  // namespace whorl::detail

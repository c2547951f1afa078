#include "op/encoding_shapes.hpp"

#include <fmt/format.h>

#include <limits>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

Shape encoding_domain(const Context& ctx, const char* operation, ArrayRef<const double> points,
                      const Shape& image_shape, Index coils) {
  check_trajectory(ctx, points);
  if (image_shape.rank() != points.extent(1)) {
    throw ShapeError(fmt::format("{}: the image {} has {} axes, the trajectory {}; expected the same number", operation,
                                 to_string(image_shape), image_shape.rank(), points.extent(1)));
  }
  if (image_shape.size() == 0 || coils < 1 || points.extent(0) < 1) {
    throw ShapeError(fmt::format("{}: image {}, {} coils, {} samples; expected at least one of each", operation,
                                 to_string(image_shape), coils, points.extent(0)));
  }
  if (points.extent(0) > std::numeric_limits<std::int32_t>::max()) {
    throw Unsupported(fmt::format("{}: {} samples in one frame; at most 2^31 - 1 fit, so split the frame", operation,
                                  points.extent(0)));
  }
  return image_shape.with_front(coils);
}

std::array<Index, 3> padded_to_3d(const Shape& image_shape) {
  return {image_shape.rank() == 3 ? image_shape[0] : 1, image_shape[-2], image_shape[-1]};
}

}  // namespace whorl

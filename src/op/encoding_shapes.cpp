#include "op/encoding_shapes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/on_host.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

namespace {

// check_trajectory for one dimension, which trajectories of scans do not have.
void check_line(const Context& ctx, const char* operation, ArrayRef<const double> points) {
  const OnHost<double> here(ctx, points);
  constexpr double most = k_limit * (1 + k_limit_slack);
  for (Index sample = 0; sample < points.extent(0); ++sample) {
    const double value = here.get().data()[sample];
    if (!(std::abs(value) <= most)) {
      throw ValueError(fmt::format(
          "{}: k of sample {} is {:.6g}, expected a finite number of at most 0.5 cycles per pixel; check its "
          "unit and the number of pixels",
          operation, sample, value));
    }
  }
}

}  // namespace

Shape encoding_domain(const Context& ctx, const char* operation, ArrayRef<const double> points,
                      const Shape& image_shape, Index coils, int least_dim) {
  if (least_dim == 1 && points.rank() == 2 && points.extent(1) == 1) {
    check_line(ctx, operation, points);
  } else {
    check_trajectory(ctx, points);
  }
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
  return {image_shape.rank() == 3 ? image_shape[0] : 1, image_shape.rank() >= 2 ? image_shape[-2] : 1, image_shape[-1]};
}

}  // namespace whorl

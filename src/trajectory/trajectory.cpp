#include "whorl/trajectory/trajectory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/trajectory.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double most = k_limit * (1 + k_limit_slack);

void check_shape(const Shape& points) {
  if (points.rank() != 2 || (points[1] != 2 && points[1] != 3)) {
    throw ShapeError(fmt::format("trajectory: expected shape [sample, 2] or [sample, 3], got {}", to_string(points)));
  }
}

// `ask` is called for each sample.
template <class Ask>
void check_positions(ArrayRef<const double> points, const Ask& ask) {
  check_shape(points.shape());
  const auto k = points.view<2>();
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    ask(sample);
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const double value = k(sample, axis);
      if (!std::isfinite(value)) {
        throw ValueError(fmt::format("trajectory: k{} of sample {} is {}; every position must be finite", "xyz"[axis],
                                     sample, value));
      }
      if (std::abs(value) > most) {
        throw ValueError(
            fmt::format("trajectory: k{} of sample {} is {:.6g}, expected |k| <= 0.5 cycles per pixel; check the "
                        "trajectory's unit and the matrix size",
                        "xyz"[axis], sample, value));
      }
    }
  }
}

}  // namespace

void check_trajectory(ArrayRef<const double> points) {
  check_positions(points, [](Index /*sample*/) {});
}

void check_trajectory(const Context& ctx, ArrayRef<const double> points) {
  if (points.device().kind == DeviceKind::cpu) {
    return check_positions(points, [&](Index sample) { detail::ask_at(ctx, sample); });
  }
  check_shape(points.shape());
  if (kernels::all_at_most(ctx, points, most)) return;
  check_trajectory(to_host(ctx, points));  // says which sample
}

}  // namespace whorl

#include "whorl/trajectory/stack.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl {

namespace {

void check_plane(const Trajectory& plane) {
  if (plane.points.rank() != 2 || plane.dim() != 2) {
    throw ShapeError(fmt::format("stack trajectory: expected a plane of shape [sample, 2], got {}",
                                 to_string(plane.points.shape())));
  }
  if (plane.readout_length < 1 || plane.samples() % plane.readout_length != 0) {
    throw ValueError(
        fmt::format("stack trajectory: {} samples of the plane are not a whole number of readouts of {} samples",
                    plane.samples(), plane.readout_length));
  }
}

// The partition acquired as number j.
Index partition_of(Index j, Index partitions, PartitionOrder order) {
  if (order == PartitionOrder::linear) return j;
  const Index distance = (j + 1) / 2;
  return partitions / 2 + (j % 2 == 1 ? -distance : distance);
}

}  // namespace

Trajectory stack_trajectory(const Context& ctx, const Trajectory& plane, const StackOptions& options) {
  check_plane(plane);
  check_options(options);
  const Index partitions = options.partitions;
  detail::check_count("stack trajectory", "partitions", partitions);
  const Index length = plane.readout_length;
  const Index readouts = plane.samples() / length;
  detail::check_count("stack trajectory", "readouts", readouts);
  if (partitions > detail::most_samples / plane.samples()) {
    throw ValueError(fmt::format("stack trajectory: {} partitions of {} samples are more than {}", partitions,
                                 plane.samples(), detail::most_samples));
  }
  Trajectory trajectory{Array<double>(ctx, {readouts * partitions * length, 3}), length};
  const auto from = plane.points.view<2>();
  const auto k = trajectory.points.view<2>();
  for (Index shot = 0; shot < readouts * partitions; ++shot) {
    const Index partition = partition_of(shot % partitions, partitions, options.order);
    const double part = static_cast<double>(partition) / std::numbers::phi;
    const double angle = options.golden_rotation * (part - std::floor(part));
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const double kz = detail::grid_position(partition, partitions);
    for (Index i = 0; i < length; ++i) {
      detail::ask_at(ctx, shot * length + i);
      const Index source = shot / partitions * length + i;
      k(shot * length + i, 0) = cosine * from(source, 0) - sine * from(source, 1);
      k(shot * length + i, 1) = sine * from(source, 0) + cosine * from(source, 1);
      k(shot * length + i, 2) = kz;
    }
  }
  return trajectory;
}

}  // namespace whorl

#include "trajectory/readouts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::detail {

void check_count(std::string_view operation, std::string_view what, Index count) {
  if (count < 1) throw ValueError(fmt::format("{}: expected at least 1 of the {}, got {}", operation, what, count));
  if (count > most_samples) {
    throw ValueError(fmt::format("{}: expected at most {} of the {}, got {}", operation, most_samples, what, count));
  }
}

void check_readouts(std::string_view operation, std::string_view readouts, Index count, Index samples) {
  check_count(operation, readouts, count);
  if (samples < 2) {
    throw ValueError(
        fmt::format("{}: expected at least 2 samples in each of the {}, got {}", operation, readouts, samples));
  }
  if (samples > most_samples / count) {
    throw ValueError(fmt::format("{}: {} {} of {} samples are more than the {} samples that a trajectory may have",
                                 operation, count, readouts, samples, most_samples));
  }
}

void check_positive(std::string_view operation, std::string_view what, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw ValueError(fmt::format("{}: expected a {} above 0, got {}", operation, what, value));
  }
}

Trajectory make_readouts(const Context& ctx, std::string_view operation, std::string_view readouts, Index count,
                         Index samples, Index dim) {
  check_readouts(operation, readouts, count, samples);
  return {Array<double>(ctx, {count * samples, dim}), samples};
}

void write_spoke(const Context& ctx, Trajectory& trajectory, Index spoke, const std::array<double, 3>& direction,
                 SpokeStart start) {
  const Index readout = trajectory.readout_length;
  const auto k = trajectory.points.view<2>();
  const Index center = start == SpokeStart::edge ? readout / 2 : 0;
  const auto steps = static_cast<double>(start == SpokeStart::edge ? readout : 2 * readout);
  for (Index i = 0; i < readout; ++i) {
    ask_at(ctx, spoke * readout + i);
    const double radius = static_cast<double>(i - center) / steps;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      k(spoke * readout + i, axis) = radius * direction[static_cast<std::size_t>(axis)];
    }
  }
}

}  // namespace whorl::detail

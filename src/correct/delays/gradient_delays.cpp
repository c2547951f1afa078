#include "whorl/correct/gradient_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace whorl {

namespace {

constexpr double bent = 0.01;  // of a step: positions in files are floats

void check_readouts(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  if (length >= 2 && trajectory.samples() % length == 0) return;
  throw ValueError(
      fmt::format("gradient delays: {} samples in readouts of {}; expected whole readouts of known length, 2 or more",
                  trajectory.samples(), length));
}

// The samples of a readout without those at |k| = 1/2, where positions beyond were put; all where one or none is left.
std::pair<Index, Index> inner_samples(const Trajectory& trajectory, Index readout) {
  const auto k = trajectory.points.view<2>();
  const auto is_inner = [&](Index j) {
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      if (std::abs(k(j, axis)) >= k_limit * (1 - k_limit_slack)) return false;
    }
    return true;
  };
  Index first = readout;
  Index last = readout + trajectory.readout_length;
  while (first < last && !is_inner(first)) ++first;
  while (first < last && !is_inner(last - 1)) --last;
  if (last - first < 2) return {readout, trajectory.readout_length};
  return {first, last - first};
}

// The line of a readout, and how far its samples are off it.
std::pair<SpokeLine, double> line_of(const Trajectory& trajectory, Index readout) {
  const auto [first, length] = inner_samples(trajectory, readout);
  const auto k = trajectory.points.view<2>();
  const auto dim = static_cast<std::size_t>(trajectory.dim());
  std::array<double, 3> step{};
  double square = 0;
  for (std::size_t axis = 0; axis < dim; ++axis) {
    const auto a = static_cast<Index>(axis);
    step[axis] = (k(first + length - 1, a) - k(first, a)) / static_cast<double>(length - 1);
    square += step[axis] * step[axis];
  }
  SpokeLine line{{}, std::sqrt(square)};
  double off = 0;
  for (Index i = 0; i < length; ++i) {
    for (std::size_t axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<Index>(axis);
      off = std::max(off, std::abs(k(first + i, a) - k(first, a) - static_cast<double>(i) * step[axis]));
    }
  }
  for (std::size_t axis = 0; axis < dim; ++axis) line.direction[axis] = step[axis] / line.step;
  return {line, off};
}

bool is_straight(const std::pair<SpokeLine, double>& line) {
  return line.first.step > 0 && line.second <= bent * line.first.step;
}

}  // namespace

bool has_spokes(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  if (length < 2 || trajectory.samples() % length != 0) return false;
  for (Index first = 0; first < trajectory.samples(); first += length) {
    if (!is_straight(line_of(trajectory, first))) return false;
  }
  return true;
}

std::vector<SpokeLine> spoke_lines(const Trajectory& trajectory) {
  check_readouts(trajectory);
  std::vector<SpokeLine> lines;
  for (Index first = 0; first < trajectory.samples(); first += trajectory.readout_length) {
    const auto line = line_of(trajectory, first);
    if (!is_straight(line)) {
      throw ValueError(fmt::format("gradient delays: readout {} is no straight spoke with even steps",
                                   first / trajectory.readout_length));
    }
    lines.push_back(line.first);
  }
  return lines;
}

namespace {

Trajectory delayed_in_time(const Context& ctx, const Trajectory& nominal, const GradientDelays& delays) {
  check_readouts(nominal);
  if (delays.xy != 0 || delays.xz != 0 || delays.yz != 0) {
    throw ValueError(fmt::format(
        "gradient delays: XY {:g}, XZ {:g}, YZ {:g} for readouts that are no spokes, expected those of the axes alone",
        delays.xy, delays.xz, delays.yz));
  }
  const std::array times{delays.x, delays.y, delays.z};
  Trajectory moved{clone(ctx.host(), nominal.points.ref()), nominal.readout_length};
  const auto from = nominal.points.view<2>();
  const auto to = moved.points.view<2>();
  const Index length = nominal.readout_length;
  for (Index sample = 0; sample < moved.samples(); ++sample) {
    const Index first = sample - sample % length;
    for (Index axis = 0; axis < moved.dim(); ++axis) {
      const double time = std::clamp(static_cast<double>(sample - first) + times[static_cast<std::size_t>(axis)], 0.0,
                                     static_cast<double>(length - 1));
      const Index before = std::min(static_cast<Index>(time), length - 2);
      const double part = time - static_cast<double>(before);
      const double value = (1 - part) * from(first + before, axis) + part * from(first + before + 1, axis);
      to(sample, axis) = std::clamp(value, -k_limit, k_limit);
    }
  }
  return moved;
}

}  // namespace

Trajectory delayed(const Context& ctx, const Trajectory& nominal, const GradientDelays& delays) {
  if (!has_spokes(nominal)) return delayed_in_time(ctx, nominal, delays);
  const std::vector<SpokeLine> lines = spoke_lines(nominal);
  Trajectory moved{clone(ctx.host(), nominal.points.ref()), nominal.readout_length};
  const auto k = moved.points.view<2>();
  for (Index sample = 0; sample < moved.samples(); ++sample) {
    const SpokeLine& line = lines[static_cast<std::size_t>(sample / moved.readout_length)];
    const std::array<double, 3> shift = delays.of(line.direction);
    for (Index axis = 0; axis < moved.dim(); ++axis) {
      const double to = k(sample, axis) + line.step * shift[static_cast<std::size_t>(axis)];
      k(sample, axis) = std::clamp(to, -k_limit, k_limit);
    }
  }
  return moved;
}

}  // namespace whorl

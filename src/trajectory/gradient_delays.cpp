#include "whorl/trajectory/gradient_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace whorl {

namespace {

constexpr double bent = 0.01;  // of a step: positions in files are floats

}  // namespace

std::vector<SpokeLine> spoke_lines(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  if (length < 2 || trajectory.samples() % length != 0) {
    throw ValueError(
        fmt::format("gradient delays: {} samples in readouts of {}; expected whole spokes of known length, 2 or more",
                    trajectory.samples(), length));
  }
  const auto k = trajectory.points.view<2>();
  const auto dim = static_cast<std::size_t>(trajectory.dim());
  std::vector<SpokeLine> lines;
  for (Index first = 0; first < trajectory.samples(); first += length) {
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
    if (!(line.step > 0) || off > bent * line.step) {
      throw ValueError(fmt::format(
          "gradient delays: readout {} is no straight spoke with even steps; delays are corrected of radial scans only",
          first / length));
    }
    for (std::size_t axis = 0; axis < dim; ++axis) line.direction[axis] = step[axis] / line.step;
    lines.push_back(line);
  }
  return lines;
}

Trajectory delayed(const Context& ctx, const Trajectory& nominal, const GradientDelays& delays) {
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

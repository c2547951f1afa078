#include "trajectory/spokes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/spokes.hpp"

namespace whorl {

namespace {

using Direction = std::array<double, 3>;

Direction position(const View<const double, 2>& k, Index sample) {
  Direction at{};
  for (Index axis = 0; axis < k.extent(1); ++axis) at[static_cast<std::size_t>(axis)] = k(sample, axis);
  return at;
}

double along(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double norm(const Direction& a) { return std::sqrt(along(a, a)); }

Direction direction_of(std::string_view operation, const View<const double, 2>& k, Index first, Index length) {
  Direction farthest{};
  for (Index sample = first; sample < first + length; ++sample) {
    const Direction at = position(k, sample);
    if (norm(at) > norm(farthest)) farthest = at;
  }
  const double reach = norm(farthest);
  if (reach == 0) {
    throw ValueError(
        fmt::format("{}: readout {} stays at the center of k-space, expected a spoke", operation, first / length));
  }
  for (double& component : farthest) component /= reach;
  return farthest;
}

}  // namespace

detail::Spokes detail::find_spokes(std::string_view operation, const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  const Index samples = trajectory.samples();
  if (length < 2) {
    throw ValueError(fmt::format("{}: expected a readout length of at least 2, got {}{}", operation, length,
                                 length == 0 ? " (not known)" : ""));
  }
  if (samples == 0 || samples % length != 0) {
    throw ValueError(
        fmt::format("{}: {} samples are not a whole number of readouts of {}", operation, samples, length));
  }
  const auto k = trajectory.points.view<2>();
  Spokes spokes{length, {}, std::vector<double>(static_cast<std::size_t>(samples))};
  for (Index first = 0; first < samples; first += length) {
    const Direction direction = direction_of(operation, k, first, length);
    const auto radius = spokes.radii.begin() + first;
    for (Index i = 0; i < length; ++i) radius[i] = along(position(k, first + i), direction);
    const auto [lowest, highest] = std::minmax_element(radius, radius + length);
    for (Index i = 0; i < length; ++i) {
      Direction off = position(k, first + i);
      for (std::size_t axis = 0; axis < 3; ++axis) off[axis] -= radius[i] * direction[axis];
      if (norm(off) > spoke_line_tolerance * *highest) {
        throw ValueError(
            fmt::format("{}: sample {} of readout {} lies {:.3g} off a straight line through the center, expected at "
                        "most {:.0f} % of its largest |k| {:.3g}; use iterative density compensation",
                        operation, i, first / length, norm(off), 100 * spoke_line_tolerance, *highest));
      }
    }
    if (*lowest == *highest) {
      throw ValueError(
          fmt::format("{}: all samples of readout {} lie at one place, expected a spoke", operation, first / length));
    }
    spokes.directions.push_back(direction);
  }
  return spokes;
}

std::optional<double> largest_spoke_step(const Trajectory& trajectory) {
  detail::Spokes spokes;
  try {
    spokes = detail::find_spokes("spokes", trajectory);
  } catch (const ValueError&) {
    return std::nullopt;
  }
  double largest = 0;
  std::vector<double> radii;
  for (std::size_t spoke = 0; spoke < spokes.directions.size(); ++spoke) {
    const auto unsorted = spokes.radii_of(spoke);
    radii.assign(unsorted.begin(), unsorted.end());
    std::sort(radii.begin(), radii.end());
    for (std::size_t i = 1; i < radii.size(); ++i) largest = std::max(largest, radii[i] - radii[i - 1]);
  }
  return largest;
}

bool corners_alias(const Trajectory& trajectory, const Shape& image_shape) {
  const auto step = largest_spoke_step(trajectory);
  if (!step) return false;
  double square = 0;
  Index widest = 0;
  for (const Index extent : image_shape) {
    square += static_cast<double>(extent) * static_cast<double>(extent);
    widest = std::max(widest, extent);
  }
  return 1 / *step < (std::sqrt(square) + static_cast<double>(widest)) / 2;
}

}  // namespace whorl

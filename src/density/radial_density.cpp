#include "whorl/density/radial_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/density/normalize.hpp"

namespace whorl {
namespace {

constexpr double line_tolerance = 0.01;

// Signed radii of a readout along its own direction.
std::vector<double> signed_radii(const View<const double, 2>& k, Index first, Index length) {
  const Index dim = k.extent(1);
  const auto norm = [&](Index sample) {
    double square = 0;
    for (Index axis = 0; axis < dim; ++axis) square += k(sample, axis) * k(sample, axis);
    return std::sqrt(square);
  };
  Index farthest = first;
  for (Index sample = first; sample < first + length; ++sample) {
    if (norm(sample) > norm(farthest)) farthest = sample;
  }
  const double reach = norm(farthest);
  if (reach == 0) {
    throw ValueError(
        fmt::format("radial density: readout {} stays at the center of k-space, expected a spoke", first / length));
  }
  std::vector<double> radii(static_cast<std::size_t>(length));
  for (Index sample = first; sample < first + length; ++sample) {
    double radius = 0;
    for (Index axis = 0; axis < dim; ++axis) radius += k(sample, axis) * k(farthest, axis) / reach;
    double off_line = 0;
    for (Index axis = 0; axis < dim; ++axis) {
      off_line += std::pow(k(sample, axis) - radius * k(farthest, axis) / reach, 2);
    }
    if (std::sqrt(off_line) > line_tolerance * reach) {
      throw ValueError(
          fmt::format("radial density: sample {} of readout {} lies {:.3g} off a straight line through the center, "
                      "expected at most {:.0f} % of its largest |k| {:.3g}; use iterative density compensation",
                      sample - first, first / length, std::sqrt(off_line), 100 * line_tolerance, reach));
    }
    radii[static_cast<std::size_t>(sample - first)] = radius;
  }
  return radii;
}

// Integral of |rho|^(dim-1) from 0 to rho, an odd function.
double ramp_integral(double rho, int dim) { return std::copysign(std::pow(std::abs(rho), dim) / dim, rho); }

// Weights of one spoke; samples of equal radius share one cell.
void spoke_weights(std::span<const double> radii, int dim, std::span<double> weights) {
  std::vector<std::size_t> order(radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return radii[a] < radii[b]; });
  const double lowest = radii[order.front()];
  const double highest = radii[order.back()];
  const double same = 1e-9 * (highest - lowest);

  std::vector<std::size_t> starts;  // in `order`, of the groups of equal radius
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || radii[order[i]] - radii[order[starts.back()]] > same) starts.push_back(i);
  }
  const auto radius = [&](std::size_t group) { return radii[order[starts[group]]]; };
  const std::size_t groups = starts.size();
  for (std::size_t group = 0; group < groups; ++group) {
    const bool first = group == 0;
    const bool last = group + 1 == groups;
    double low = first ? radius(0) - (radius(1) - radius(0)) / 2 : (radius(group - 1) + radius(group)) / 2;
    const double high =
        last ? radius(group) + (radius(group) - radius(group - 1)) / 2 : (radius(group) + radius(group + 1)) / 2;
    if (first && lowest >= -same) low = std::max(low, 0.0);
    const std::size_t end = last ? order.size() : starts[group + 1];
    const double share =
        (ramp_integral(high, dim) - ramp_integral(low, dim)) / static_cast<double>(end - starts[group]);
    for (std::size_t i = starts[group]; i < end; ++i) weights[order[i]] = share;
  }
}

}  // namespace

template <class Real>
Array<Real> radial_density(const Context& ctx, const Trajectory& trajectory) {
  check_trajectory(trajectory.points);
  const Index length = trajectory.readout_length;
  const Index samples = trajectory.samples();
  if (length < 2) {
    throw ValueError(fmt::format("radial density: expected a readout length of at least 2, got {}{}", length,
                                 length == 0 ? " (not known)" : ""));
  }
  if (samples == 0 || samples % length != 0) {
    throw ValueError(
        fmt::format("radial density: {} samples are not a whole number of readouts of {}", samples, length));
  }
  const auto k = trajectory.points.view<2>();
  std::vector<double> weights(static_cast<std::size_t>(samples));
  for (Index first = 0; first < samples; first += length) {
    const std::vector<double> radii = signed_radii(k, first, length);
    if (std::all_of(radii.begin(), radii.end(), [&](double radius) { return radius == radii.front(); })) {
      throw ValueError(
          fmt::format("radial density: all samples of readout {} lie at one place, expected a spoke", first / length));
    }
    spoke_weights(radii, trajectory.dim(), std::span(weights).subspan(static_cast<std::size_t>(first), radii.size()));
  }
  Array<Real> result(ctx, {samples});
  std::transform(weights.begin(), weights.end(), result.data(),
                 [](double weight) { return static_cast<Real>(weight); });
  normalize_weights<Real>(result);
  return result;
}

template Array<float> radial_density(const Context&, const Trajectory&);
template Array<double> radial_density(const Context&, const Trajectory&);

}  // namespace whorl

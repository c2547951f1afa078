#include "whorl/density/spiral_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "density/direction_areas.hpp"
#include "density/planes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/normalize.hpp"

namespace whorl {

namespace {

constexpr double shape_tolerance = 0.01;  // of the largest |k|

// Distances from the axis of z, one readout after another.
std::vector<double> radii_of(const View<const double, 2>& k) {
  std::vector<double> radii(static_cast<std::size_t>(k.extent(0)));
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const auto sample = static_cast<Index>(i);
    radii[i] = std::hypot(k(sample, 0), k(sample, 1));
  }
  return radii;
}

// The formula holds for arms that are one curve, turned: their radii must agree, and change as those of a spiral do.
void check_radii(const std::vector<double>& radii, std::size_t length, double largest) {
  for (std::size_t i = length; i < radii.size(); ++i) {
    if (std::abs(radii[i] - radii[i % length]) > shape_tolerance * largest) {
      throw ValueError(fmt::format(
          "spiral density: |k| of sample {} is {:.4g} in readout {} and {:.4g} in the first, expected arms that are "
          "one curve, turned; use Voronoi cells or Pipe-Menon's iteration",
          i % length, radii[i], i / length, radii[i % length]));
    }
  }
  double way = 0;
  for (std::size_t i = 1; i < length; ++i) way += std::abs(radii[i] - radii[i - 1]);
  if (way > (2 + 5 * shape_tolerance) * largest) {
    throw ValueError(
        fmt::format("spiral density: |k| rises and falls along a readout by {:.3g} in all, {:.3g} times its largest; "
                    "expected it to rise, fall, or do each once; use Voronoi cells or Pipe-Menon's iteration",
                    way, way / largest));
  }
}

// Half the change of r^2 from halfway after the sample before to halfway before the next.
std::vector<double> areas_along(const std::vector<double>& radii, std::size_t length) {
  std::vector<double> edges(length + 1);
  for (std::size_t i = 1; i < length; ++i) edges[i] = (radii[i - 1] + radii[i]) / 2;
  edges[0] = std::max(0.0, 2 * radii[0] - edges[1]);
  edges[length] = std::max(0.0, 2 * radii[length - 1] - edges[length - 1]);
  std::vector<double> areas(length);
  for (std::size_t i = 0; i < length; ++i) {
    // In two pieces, so that a cell in which the radius turns back counts both.
    const double middle = radii[i] * radii[i];
    areas[i] = (std::abs(middle - edges[i] * edges[i]) + std::abs(edges[i + 1] * edges[i + 1] - middle)) / 2;
  }
  return areas;
}

// Where the readouts end, seen from the center: at the first of their farthest samples.
std::vector<std::array<double, 3>> arm_directions(const View<const double, 2>& k, const std::vector<double>& radii,
                                                  std::size_t length) {
  std::vector<std::array<double, 3>> directions;
  for (std::size_t first = 0; first < radii.size(); first += length) {
    const auto begin = radii.begin() + static_cast<Index>(first);
    const Index farthest = std::max_element(begin, begin + static_cast<Index>(length)) - radii.begin();
    const double radius = radii[static_cast<std::size_t>(farthest)];
    directions.push_back({k(farthest, 0) / radius, k(farthest, 1) / radius, 0});
  }
  return directions;
}

// The angle of each readout among those of its plane, times the thickness of the plane.
std::vector<double> angles_in_planes(const View<const double, 2>& k, Index length, double largest,
                                     const std::vector<std::array<double, 3>>& directions) {
  const detail::Planes found = detail::find_planes(k, length, largest);
  if (found.leaving >= 0) {
    throw ValueError(
        fmt::format("spiral density: kz of sample {} of readout {} differs by {:.3g} from its first, expected arms "
                    "in planes of constant kz; use Voronoi cells or Pipe-Menon's iteration",
                    found.leaving % length, found.leaving / length, found.distance));
  }
  std::vector<double> shares(directions.size());
  for (const detail::Plane& plane : found.planes) {
    std::vector<std::array<double, 3>> here;
    for (const std::size_t arm : plane.readouts) here.push_back(directions[arm]);
    const std::vector<double> angles = detail::direction_areas(2, here);
    for (std::size_t i = 0; i < here.size(); ++i) shares[plane.readouts[i]] = plane.thickness * angles[i];
  }
  return shares;
}

}  // namespace

template <Precision Real>
Array<Real> spiral_density(const Context& ctx, const Trajectory& trajectory) {
  check_trajectory(trajectory.points);
  const Index length = trajectory.readout_length;
  const Index samples = trajectory.samples();
  if (length < 2) {
    throw ValueError(fmt::format("spiral density: expected a readout length of at least 2, got {}{}", length,
                                 length == 0 ? " (not known)" : ""));
  }
  if (samples == 0 || samples % length != 0) {
    throw ValueError(
        fmt::format("spiral density: {} samples are not a whole number of readouts of {}", samples, length));
  }
  const auto k = trajectory.points.view<2>();
  const auto period = static_cast<std::size_t>(length);
  const std::vector<double> radii = radii_of(k);
  const double largest = *std::max_element(radii.begin(), radii.end());
  if (largest == 0) throw ValueError("spiral density: all samples lie at the center of k-space, expected spiral arms");
  check_radii(radii, period, largest);
  const auto directions = arm_directions(k, radii, period);
  const std::vector<double> shares =
      trajectory.dim() == 3 ? angles_in_planes(k, length, largest, directions) : detail::direction_areas(2, directions);

  // The radii of all arms agree to within noise, which their mean lessens.
  std::vector<double> mean(period);
  for (std::size_t i = 0; i < radii.size(); ++i) mean[i % period] += radii[i] / static_cast<double>(shares.size());
  const std::vector<double> areas = areas_along(mean, period);
  Array<Real> weights(ctx, {samples});
  for (std::size_t i = 0; i < radii.size(); ++i) {
    weights.span()[i] = static_cast<Real>(areas[i % period] * shares[i / period]);
  }
  normalize_weights<Real>(weights);
  return weights;
}

template Array<float> spiral_density(const Context&, const Trajectory&);
template Array<double> spiral_density(const Context&, const Trajectory&);

}  // namespace whorl

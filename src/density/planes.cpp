#include "density/planes.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::detail {

Planes find_planes(const View<const double, 2>& k, Index length, double largest) {
  Planes found;
  std::vector<double> heights;
  for (Index first = 0; first < k.extent(0); first += length) {
    for (Index sample = first; sample < first + length; ++sample) {
      const double distance = std::abs(k(sample, 2) - k(first, 2));
      if (distance > 0.01 * largest) return {{}, sample, distance};
    }
    heights.push_back(k(first, 2));
  }
  std::vector<double> sorted = heights;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> places;
  for (const double height : sorted) {
    if (places.empty() || height - places.back() > 1e-6 * largest) places.push_back(height);
  }
  found.planes.resize(places.size());
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const auto above = std::upper_bound(places.begin(), places.end(), heights[i]) - places.begin();
    found.planes[static_cast<std::size_t>(above) - 1].readouts.push_back(i);
  }
  for (std::size_t i = 0; i < places.size() && places.size() > 1; ++i) {
    const std::size_t low = i == 0 ? 0 : i - 1;
    const std::size_t high = std::min(i + 1, places.size() - 1);
    found.planes[i].thickness = (places[high] - places[low]) / static_cast<double>(high - low);
  }
  return found;
}

Trajectory seen_along_z(const Context& ctx, const Trajectory& trajectory, const std::vector<std::size_t>& readouts) {
  const Index length = trajectory.readout_length;
  Trajectory seen{Array<double>(ctx, {static_cast<Index>(readouts.size()) * length, 2}), length};
  const auto from = trajectory.points.view<2>();
  const auto to = seen.points.view<2>();
  for (std::size_t readout = 0; readout < readouts.size(); ++readout) {
    for (Index i = 0; i < length; ++i) {
      for (const Index axis : {0, 1}) {
        to(static_cast<Index>(readout) * length + i, axis) =
            from(static_cast<Index>(readouts[readout]) * length + i, axis);
      }
    }
  }
  return seen;
}

std::vector<Plane> planes_of_stars(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  if (trajectory.dim() != 3 || length < 2 || trajectory.samples() % length != 0) return {};
  const auto k = trajectory.points.view<2>();
  double largest = 0;
  for (Index j = 0; j < k.extent(0); ++j) largest = std::max(largest, std::hypot(k(j, 0), k(j, 1)));
  std::vector<Plane> planes = find_planes(k, length, largest).planes;
  return planes.size() > 1 ? planes : std::vector<Plane>{};
}

}  // namespace whorl::detail

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

}  // namespace whorl::detail

#include "whorl/trajectory/spoke_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// F_(m-1) of the m with F_m + (n - 1) F_(m-1) = spokes. The sums G_m begin with 1, n, n + 1 and follow Fibonacci's
// rule.
Index fibonacci_step(Index spokes, Index n) {
  Index below = 0;  // F_(m-1)
  Index fibonacci = 1;
  Index last = 1;
  while (true) {
    const Index sum = fibonacci + (n - 1) * below;
    if (sum == spokes) return below;
    if (sum > spokes) {
      throw ValueError(
          fmt::format("spoke angles: {} is no generalized Fibonacci number of index {}; the nearest are {} and {}",
                      spokes, n, last, sum));
    }
    last = sum;
    below = std::exchange(fibonacci, fibonacci + below);
  }
}

}  // namespace

std::vector<double> spoke_angles(Index spokes, SpokeOrder order, Index n, double period) {
  detail::check_count("spoke angles", "spokes", spokes);
  if (n < 1 || n > detail::most_samples) {
    throw ValueError(fmt::format("spoke angles: expected an index of the golden angle from 1 on, got {}", n));
  }
  std::vector<double> angles;
  angles.reserve(static_cast<std::size_t>(spokes));
  if (order == SpokeOrder::fibonacci) {
    const Index step = fibonacci_step(spokes, n);
    // Twice the period, so that spokes through the center keep their direction in golden-angle order.
    for (Index spoke = 0, at = 0; spoke < spokes; ++spoke, at = (at + step) % (2 * spokes)) {
      angles.push_back(period * static_cast<double>(at) / static_cast<double>(spokes));
    }
    return angles;
  }
  const double parts =
      order == SpokeOrder::uniform ? static_cast<double>(spokes) : std::numbers::phi + static_cast<double>(n - 1);
  for (Index spoke = 0; spoke < spokes; ++spoke) angles.push_back(period / parts * static_cast<double>(spoke));
  return angles;
}

double largest_angle_gap(std::span<const double> angles, double period) {
  if (angles.empty()) throw ValueError("largest gap of angles: there is no angle");
  std::vector<double> reduced;
  reduced.reserve(angles.size());
  for (const double angle : angles) reduced.push_back(angle - period * std::floor(angle / period));
  std::sort(reduced.begin(), reduced.end());
  double largest = reduced.front() + period - reduced.back();
  for (std::size_t i = 1; i < reduced.size(); ++i) largest = std::max(largest, reduced[i] - reduced[i - 1]);
  return largest;
}

}  // namespace whorl

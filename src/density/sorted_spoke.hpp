// Private: the samples of a spoke in order.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace whorl::detail {

/// Samples of a spoke in the order of their radii; those at one place are one group.
class SortedSpoke {
 public:
  explicit SortedSpoke(std::span<const double> radii) : order_(radii.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return radii[a] < radii[b]; });
    const double same = 1e-9 * (radii[order_.back()] - radii[order_.front()]);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i == 0 || radii[order_[i]] - radii_.back() > same) {
        starts_.push_back(i);
        radii_.push_back(radii[order_[i]]);
      }
    }
    starts_.push_back(order_.size());
  }

  std::size_t groups() const { return radii_.size(); }
  double radius(std::size_t group) const { return radii_[group]; }
  /// The samples of a group.
  std::span<const std::size_t> samples(std::size_t group) const {
    return std::span(order_).subspan(starts_[group], starts_[group + 1] - starts_[group]);
  }
  /// Half the distance between the neighbors, at the ends that to the one neighbor.
  double step(std::size_t group) const {
    if (group == 0) return radii_[1] - radii_[0];
    if (group + 1 == groups()) return radii_[group] - radii_[group - 1];
    return (radii_[group + 1] - radii_[group - 1]) / 2;
  }
  double largest_step() const {
    double largest = 0;
    for (std::size_t group = 1; group < groups(); ++group) {
      largest = std::max(largest, radii_[group] - radii_[group - 1]);
    }
    return largest;
  }
  /// The length of the spoke ahead (side 1) or back (side 0) of the center; 0 if it has no such side: a first sample
  /// within a quarter of a step of the center begins there.
  double reach(int side) const {
    const double farthest = side == 1 ? radii_.back() : -radii_.front();
    return farthest > step(side == 1 ? groups() - 1 : 0) / 4 ? farthest : 0;
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<std::size_t> starts_;
  std::vector<double> radii_;
};

}  // namespace whorl::detail

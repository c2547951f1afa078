#include "calib/unwrap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace whorl {

namespace {

// Regions as trees of voxels; a voxel has its turns relative to its parent's.
class Regions {
 public:
  explicit Regions(std::size_t voxels) : parent_(voxels), turns_(voxels), size_(voxels, 1) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }

  // The root, and the turns of the voxel relative to it. Voxels on the way become children of the root.
  std::pair<Index, Index> root_of(Index voxel) {
    Index root = voxel;
    Index total = 0;
    while (parent(root) != root) {
      total += turns(root);
      root = parent(root);
    }
    Index rest = total;
    while (parent(voxel) != root && voxel != root) {
      const Index above = parent(voxel);
      const Index here = turns(voxel);
      parent(voxel) = root;
      turns(voxel) = rest;
      rest -= here;
      voxel = above;
    }
    return {root, total};
  }

  // Joins both regions so that second has `more` turns more than first.
  void join(Index first, Index second, Index more) {
    const auto [a, turns_a] = root_of(first);
    const auto [b, turns_b] = root_of(second);
    if (a == b) return;
    const Index of_b = turns_a + more - turns_b;  // of root b relative to root a
    const bool first_is_larger = size_[static_cast<std::size_t>(a)] >= size_[static_cast<std::size_t>(b)];
    const Index above = first_is_larger ? a : b;
    const Index below = first_is_larger ? b : a;
    parent(below) = above;
    turns(below) = first_is_larger ? of_b : -of_b;
    size_[static_cast<std::size_t>(above)] += size_[static_cast<std::size_t>(below)];
  }

 private:
  Index& parent(Index voxel) { return parent_[static_cast<std::size_t>(voxel)]; }
  Index& turns(Index voxel) { return turns_[static_cast<std::size_t>(voxel)]; }

  std::vector<Index> parent_;
  std::vector<Index> turns_;
  std::vector<Index> size_;
};

}  // namespace

std::vector<NeighborPair> neighbors_in(const std::array<Index, 3>& extent, const std::vector<char>& mask) {
  std::vector<NeighborPair> pairs;
  const std::array<Index, 3> step{extent[1] * extent[2], extent[2], 1};
  for (Index v = 0; v < static_cast<Index>(mask.size()); ++v) {
    if (mask[static_cast<std::size_t>(v)] == 0) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_last = v / step[axis] % extent[axis] == extent[axis] - 1;
      if (is_last || mask[static_cast<std::size_t>(v + step[axis])] == 0) continue;
      pairs.push_back({v, v + step[axis]});
    }
  }
  return pairs;
}

Unwrapped unwrap_phases(const std::vector<std::complex<double>>& products, const std::vector<NeighborPair>& pairs,
                        const std::vector<char>& mask) {
  const auto at = [&](Index voxel) { return products[static_cast<std::size_t>(voxel)]; };
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(pairs.size());
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    const auto a = at(pairs[e].first);
    const auto b = at(pairs[e].second);
    const double size = std::abs(a) * std::abs(b);
    const double alike = size > 0 ? 1 + (std::conj(a) * b).real() / size : 0;
    order.emplace_back(-std::min(std::abs(a), std::abs(b)) * alike, e);
  }
  std::sort(order.begin(), order.end());
  Regions regions(products.size());
  for (const auto& [quality, e] : order) {
    const auto [first, second] = pairs[e];
    const double difference = (std::arg(at(first)) - std::arg(at(second))) / (2 * std::numbers::pi);
    regions.join(first, second, std::lround(difference));
  }
  Unwrapped result{std::vector<Index>(products.size()), std::vector<Index>(products.size(), -1), 0};
  std::vector<Index> first_turns;  // of the first voxel of each region
  std::vector<Index> number_of_root(products.size(), -1);
  for (std::size_t v = 0; v < products.size(); ++v) {
    if (mask[v] == 0) continue;
    const auto [root, turns] = regions.root_of(static_cast<Index>(v));
    Index& number = number_of_root[static_cast<std::size_t>(root)];
    if (number < 0) {
      number = result.regions++;
      first_turns.push_back(turns);
    }
    result.region[v] = number;
    result.turns[v] = turns - first_turns[static_cast<std::size_t>(number)];
  }
  return result;
}

}  // namespace whorl

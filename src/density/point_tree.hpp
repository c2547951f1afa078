// Private: points in a k-d tree, visited from near to far.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::detail {

template <int Dim>
using Point = std::array<double, Dim>;

template <int Dim>
Point<Dim> difference(const Point<Dim>& a, const Point<Dim>& b) {
  Point<Dim> result{};
  for (std::size_t axis = 0; axis < Dim; ++axis) result[axis] = a[axis] - b[axis];
  return result;
}

template <int Dim>
double dot_product(const Point<Dim>& a, const Point<Dim>& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < Dim; ++axis) sum += a[axis] * b[axis];
  return sum;
}

/// Square of the distance from p to a box.
template <int Dim>
double box_distance_square(const Point<Dim>& low, const Point<Dim>& high, const Point<Dim>& p) {
  double sum = 0;
  for (std::size_t axis = 0; axis < Dim; ++axis) {
    const double outside = std::max(std::max(low[axis] - p[axis], p[axis] - high[axis]), 0.0);
    sum += outside * outside;
  }
  return sum;
}

/// A k-d tree with a box around the points of each node. Unlike a grid of equal cells, it adapts to any density of
/// points: the center of a kooshball has thousands of samples in a cell where its edge has one.
template <int Dim>
class PointTree {
 public:
  /// Memory of a search, reused by the same thread.
  using Queue = std::vector<std::pair<double, Index>>;

  explicit PointTree(std::vector<Point<Dim>> points) : points_(std::move(points)), source_(points_.size()) {
    for (std::size_t i = 0; i < source_.size(); ++i) source_[i] = static_cast<Index>(i);
    std::vector<Point<Dim>> sorted(points_.size());
    nodes_.push_back(node_of(0, size()));
    for (Index n = 0; n < static_cast<Index>(nodes_.size()); ++n) split(n);
    place_.resize(source_.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto from = static_cast<std::size_t>(source_[i]);
      sorted[i] = points_[from];
      place_[from] = static_cast<Index>(i);
    }
    points_ = std::move(sorted);
  }

  Index size() const { return static_cast<Index>(points_.size()); }
  /// The points in the order of the tree: neighbors in the list are neighbors in space.
  const std::vector<Point<Dim>>& points() const { return points_; }
  /// The constructor's index of the point at `index` in the order of the tree.
  Index source(Index index) const { return source_[static_cast<std::size_t>(index)]; }
  /// The inverse: the index in the order of the tree.
  Index place_of(Index source) const { return place_[static_cast<std::size_t>(source)]; }
  /// Corners of the box around all points.
  const Point<Dim>& low() const { return nodes_.front().low; }
  const Point<Dim>& high() const { return nodes_.front().high; }

  /// Calls visit(index) for points leaf by leaf, the leaf nearest to `center` first, until the next one is at least
  /// sqrt(limit_square()) away. The limit is read repeatedly, because it may shrink. Boxes for which wanted(low, high)
  /// is false are skipped.
  template <class Limit, class Wanted, class Visit>
  void nearest_first(const Point<Dim>& center, Queue& queue, const Limit& limit_square, const Wanted& wanted,
                     const Visit& visit) const {
    const auto farther = [](const auto& a, const auto& b) { return a.first > b.first; };
    queue.assign(1, {0.0, 0});
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end(), farther);
      const auto [distance, index] = queue.back();
      queue.pop_back();
      if (distance >= limit_square()) return;
      const Node& node = nodes_[static_cast<std::size_t>(index)];
      if (!wanted(node.low, node.high)) continue;
      if (node.child == 0) {
        for (Index i = node.begin; i < node.end; ++i) visit(i);
        continue;
      }
      for (const Index child : {node.child, node.child + 1}) {
        queue.emplace_back(distance_of(child, center), child);
        std::push_heap(queue.begin(), queue.end(), farther);
      }
    }
  }

 private:
  static constexpr Index leaf_size = 8;

  struct Node {
    Point<Dim> low;
    Point<Dim> high;
    Index begin;
    Index end;
    Index child;  // the first of two, which lie side by side; 0: a leaf
  };

  // Before the sort at the end of the constructor `points_` is in the caller's order and `source_` in the tree's.
  Node node_of(Index begin, Index end) const {
    Node node{{}, {}, begin, end, 0};
    for (Index i = begin; i < end; ++i) {
      const Point<Dim>& p = points_[static_cast<std::size_t>(source(i))];
      for (std::size_t axis = 0; axis < Dim; ++axis) {
        node.low[axis] = i == begin ? p[axis] : std::min(node.low[axis], p[axis]);
        node.high[axis] = i == begin ? p[axis] : std::max(node.high[axis], p[axis]);
      }
    }
    return node;
  }

  void split(Index index) {
    const Node node = nodes_[static_cast<std::size_t>(index)];
    if (node.end - node.begin <= leaf_size) return;
    std::size_t longest = 0;
    for (std::size_t axis = 1; axis < Dim; ++axis) {
      if (node.high[axis] - node.low[axis] > node.high[longest] - node.low[longest]) longest = axis;
    }
    const Index middle = node.begin + (node.end - node.begin) / 2;
    std::nth_element(
        source_.begin() + node.begin, source_.begin() + middle, source_.begin() + node.end, [&](Index a, Index b) {
          return points_[static_cast<std::size_t>(a)][longest] < points_[static_cast<std::size_t>(b)][longest];
        });
    nodes_[static_cast<std::size_t>(index)].child = static_cast<Index>(nodes_.size());
    nodes_.push_back(node_of(node.begin, middle));
    nodes_.push_back(node_of(middle, node.end));
  }

  double distance_of(Index node, const Point<Dim>& p) const {
    const Node& box = nodes_[static_cast<std::size_t>(node)];
    return box_distance_square<Dim>(box.low, box.high, p);
  }

  std::vector<Point<Dim>> points_;
  std::vector<Index> source_;
  std::vector<Index> place_;
  std::vector<Node> nodes_;
};

}  // namespace whorl::detail

// Private: groups of points at the same position.
#pragma once

#include <vector>

#include "density/point_tree.hpp"

namespace whorl::detail {

/// Groups of points: each point is within a distance of an earlier point, the leader of its group.
struct Places {
  std::vector<Index> group;   ///< of each point
  std::vector<Index> leader;  ///< of each group, a point
};

template <int Dim>
Places group_by_place(const PointTree<Dim>& tree, double distance) {
  const double square = distance * distance;
  Places places{std::vector<Index>(tree.points().size(), -1), {}};
  typename PointTree<Dim>::Queue queue;
  for (Index point = 0; point < tree.size(); ++point) {
    if (places.group[static_cast<std::size_t>(point)] >= 0) continue;
    const auto& place = tree.points()[static_cast<std::size_t>(tree.place_of(point))];
    tree.nearest_first(
        place, queue, [&] { return square; }, [](const auto&, const auto&) { return true; },
        [&](Index other) {
          Index& group = places.group[static_cast<std::size_t>(tree.source(other))];
          const auto way = difference<Dim>(tree.points()[static_cast<std::size_t>(other)], place);
          if (group < 0 && dot_product<Dim>(way, way) < square) group = static_cast<Index>(places.leader.size());
        });
    places.leader.push_back(point);
  }
  return places;
}

}  // namespace whorl::detail

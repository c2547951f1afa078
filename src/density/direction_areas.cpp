#include "density/direction_areas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "density/convex_hull.hpp"
#include "density/places.hpp"

namespace whorl::detail {

namespace {

using std::numbers::pi;

using Direction = std::array<double, 3>;

Direction opposite(const Direction& u) { return {-u[0], -u[1], -u[2]}; }

Direction between(const Direction& a, const Direction& b) {
  Direction middle{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  const double length = std::sqrt(dot_product<3>(middle, middle));
  for (double& component : middle) component /= length;
  return middle;
}

double determinant(const Direction& a, const Direction& b, const Direction& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Area of a triangle on the sphere, negative where its corners go around clockwise: van Oosterom and Strackee, IEEE
// Trans Biomed Eng 30 (1983) 125.
double triangle_area(const Direction& a, const Direction& b, const Direction& c) {
  return 2 * std::atan2(determinant(a, b, c), 1 + dot_product<3>(a, b) + dot_product<3>(b, c) + dot_product<3>(c, a));
}

bool surround_the_center(const std::vector<HullTriangle>& triangles) {
  return std::all_of(triangles.begin(), triangles.end(),
                     [](const HullTriangle& triangle) { return triangle.plane.offset > 1e-9; });
}

// Areas of distinct directions; empty if the hull has no volume.
std::vector<double> cells_on_sphere(std::span<const Direction> places) {
  std::vector<Direction> all(places.begin(), places.end());
  auto triangles = convex_hull_triangles("areas of directions", all);
  if (!triangles || !surround_the_center(*triangles)) {
    for (const Direction& place : places) all.push_back(opposite(place));
    triangles = convex_hull_triangles("areas of directions", all);
    if (!triangles) return {};
  }
  // Each corner of a triangle gets the quadrilateral of itself, the middles of its two sides and the center of the
  // circle around the triangle, where three cells meet.
  std::vector<double> areas(all.size());
  for (const HullTriangle& triangle : *triangles) {
    const Direction& center = triangle.plane.normal;
    for (std::size_t i = 0; i < 3; ++i) {
      const Direction& corner = all[triangle.corners[i]];
      const Direction& next = all[triangle.corners[(i + 1) % 3]];
      const Direction middle = between(corner, next);
      areas[triangle.corners[i]] += triangle_area(corner, middle, center);
      areas[triangle.corners[(i + 1) % 3]] += triangle_area(middle, next, center);
    }
  }
  areas.resize(places.size());
  return areas;
}

std::vector<double> areas_on_sphere(std::span<const Direction> directions) {
  const PointTree<3> tree(std::vector<Direction>(directions.begin(), directions.end()));
  const Places groups = group_by_place<3>(tree, direction_merge_distance);
  std::vector<Direction> places;
  for (const Index leader : groups.leader) places.push_back(directions[static_cast<std::size_t>(leader)]);
  std::vector<double> shares = cells_on_sphere(places);
  if (shares.empty()) return std::vector<double>(directions.size(), 4 * pi / static_cast<double>(directions.size()));
  std::vector<double> members(places.size());
  for (const Index group : groups.group) members[static_cast<std::size_t>(group)] += 1;
  std::vector<double> areas;
  for (const Index group : groups.group) {
    areas.push_back(shares[static_cast<std::size_t>(group)] / members[static_cast<std::size_t>(group)]);
  }
  return areas;
}

// For sorted distinct angles with period 2 pi: half the sum of the gaps on both sides of each.
std::vector<double> arcs_of(const std::vector<double>& angles) {
  const std::size_t count = angles.size();
  if (count == 1) return {2 * pi};
  std::vector<double> gaps(count);  // before each angle
  for (std::size_t i = 0; i < count; ++i) {
    gaps[i] = i == 0 ? angles[0] + 2 * pi - angles[count - 1] : angles[i] - angles[i - 1];
  }
  std::vector<double> arcs(count);
  for (std::size_t i = 0; i < count; ++i) arcs[i] = (gaps[i] + gaps[(i + 1) % count]) / 2;
  return arcs;
}

std::vector<double> areas_on_circle(std::span<const Direction> directions) {
  struct Angle {
    double value;
    std::size_t direction;  // the number of directions for a mirror image
  };
  std::vector<Angle> angles;
  const auto add = [&](const Direction& u, std::size_t direction) {
    const double angle = std::atan2(u[1], u[0]);
    // Directions on both sides of the seam of the circle may be equal.
    angles.push_back({angle > pi - direction_merge_distance ? angle - 2 * pi : angle, direction});
  };
  const auto sorted = [&] {
    std::sort(angles.begin(), angles.end(), [](const Angle& a, const Angle& b) { return a.value < b.value; });
    double widest = angles.front().value + 2 * pi - angles.back().value;
    for (std::size_t i = 1; i < angles.size(); ++i) widest = std::max(widest, angles[i].value - angles[i - 1].value);
    return widest;
  };
  for (std::size_t i = 0; i < directions.size(); ++i) add(directions[i], i);
  if (sorted() >= pi - direction_merge_distance) {
    for (const Direction& u : directions) add(opposite(u), directions.size());
    sorted();
  }

  std::vector<double> places;
  std::vector<std::size_t> place_of;  // of each angle
  for (const Angle& angle : angles) {
    if (places.empty() || angle.value - places.back() > direction_merge_distance) places.push_back(angle.value);
    place_of.push_back(places.size() - 1);
  }
  const std::vector<double> arcs = arcs_of(places);
  std::vector<double> members(places.size());
  for (std::size_t i = 0; i < angles.size(); ++i) members[place_of[i]] += angles[i].direction < directions.size();
  std::vector<double> areas(directions.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    if (angles[i].direction < directions.size()) areas[angles[i].direction] = arcs[place_of[i]] / members[place_of[i]];
  }
  return areas;
}

}  // namespace

std::vector<double> direction_areas(int dim, std::span<const std::array<double, 3>> directions) {
  return dim == 2 ? areas_on_circle(directions) : areas_on_sphere(directions);
}

}  // namespace whorl::detail

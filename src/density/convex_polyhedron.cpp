#include <cmath>

#include "density/convex_cell.hpp"

namespace whorl::detail {

void ConvexPolyhedron::reset(const Point<3>& low, const Point<3>& high) {
  solid_.vertices.clear();
  for (const double z : {low[2], high[2]}) {
    for (const double y : {low[1], high[1]}) {
      for (const double x : {low[0], high[0]}) solid_.vertices.push_back({x, y, z});
    }
  }
  solid_.loops = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
  solid_.faces.clear();
  for (int face = 0; face < 6; ++face) solid_.faces.push_back({4 * face, 4 * face + 4, true});
  reach_square_ = 0;
  for (const Point<3>& vertex : solid_.vertices) {
    reach_square_ = std::max(reach_square_, dot_product<3>(vertex, vertex));
  }
}

void ConvexPolyhedron::cut(const Point<3>& normal, double offset, bool outer) {
  double tolerance = on_plane * std::sqrt(dot_product<3>(normal, normal) * reach_square_);
  beyond_.resize(solid_.vertices.size());
  double farthest = tolerance;
  for (std::size_t i = 0; i < beyond_.size(); ++i) {
    beyond_[i] = dot_product<3>(normal, solid_.vertices[i]) - offset;
    farthest = std::max(farthest, beyond_[i]);
  }
  // In exact arithmetic a plane takes one connected piece off, and of each face one run of vertices. Where rounding
  // says otherwise the vertices in question lie on the plane within their rounding, and count as such with a larger
  // tolerance: that ends at the latest where the plane cuts nothing.
  while (farthest > tolerance && !try_cut(tolerance, outer)) tolerance *= 8;
}

// The number of the point where the plane cuts an edge. Each edge belongs to two faces, so it is asked for twice.
int ConvexPolyhedron::crossing(int inside, int outside) {
  const auto base = static_cast<int>(remaining_.vertices.size()) - static_cast<int>(crossings_.size());
  for (std::size_t c = 0; c < crossings_.size(); ++c) {
    if (crossings_[c].inside == inside && crossings_[c].outside == outside) return base + static_cast<int>(c);
  }
  const auto a = static_cast<std::size_t>(inside);
  const auto b = static_cast<std::size_t>(outside);
  const double part = std::clamp(beyond_[a] / (beyond_[a] - beyond_[b]), 0.0, 1.0);
  Point<3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] = solid_.vertices[a][axis] + part * (solid_.vertices[b][axis] - solid_.vertices[a][axis]);
  }
  remaining_.vertices.push_back(at);
  crossings_.push_back({inside, outside, -1});
  return static_cast<int>(remaining_.vertices.size()) - 1;
}

bool ConvexPolyhedron::try_cut(double tolerance, bool outer) {
  remaining_.vertices.clear();
  remaining_.loops.clear();
  remaining_.faces.clear();
  crossings_.clear();
  kept_.assign(solid_.vertices.size(), -1);
  for (std::size_t i = 0; i < solid_.vertices.size(); ++i) {
    if (beyond_[i] > tolerance) continue;
    kept_[i] = static_cast<int>(remaining_.vertices.size());
    remaining_.vertices.push_back(solid_.vertices[i]);
  }
  const auto base = static_cast<int>(remaining_.vertices.size());
  for (const Face& face : solid_.faces) {
    const auto begin = static_cast<int>(remaining_.loops.size());
    int exit = -1;
    int entry = -1;
    for (int i = face.begin; i < face.end; ++i) {
      const int from = solid_.loops[static_cast<std::size_t>(i)];
      const int to = solid_.loops[static_cast<std::size_t>(i + 1 == face.end ? face.begin : i + 1)];
      const int kept = kept_[static_cast<std::size_t>(from)];
      const bool stays = kept_[static_cast<std::size_t>(to)] >= 0;
      if (kept >= 0) remaining_.loops.push_back(kept);
      if (kept >= 0 && !stays) {
        if (exit >= 0) return false;
        exit = crossing(from, to);
        remaining_.loops.push_back(exit);
      } else if (kept < 0 && stays) {
        entry = crossing(to, from);
        remaining_.loops.push_back(entry);
      }
    }
    if (exit >= 0) crossings_[static_cast<std::size_t>(entry - base)].next = exit - base;
    const auto end = static_cast<int>(remaining_.loops.size());
    if (end > begin) remaining_.faces.push_back({begin, end, face.outer});
  }
  return close(outer);
}

// Adds the face that the plane makes, if the crossings follow each other in one ring, and takes what remains.
bool ConvexPolyhedron::close(bool outer) {
  const auto base = static_cast<int>(remaining_.vertices.size()) - static_cast<int>(crossings_.size());
  const auto begin = static_cast<int>(remaining_.loops.size());
  std::size_t met = 0;
  int at = 0;
  do {
    remaining_.loops.push_back(base + at);
    at = crossings_[static_cast<std::size_t>(at)].next;
    ++met;
  } while (at > 0);
  if (at < 0 || met != crossings_.size()) return false;
  remaining_.faces.push_back({begin, static_cast<int>(remaining_.loops.size()), outer});
  std::swap(solid_, remaining_);
  reach_square_ = 0;
  for (const Point<3>& vertex : solid_.vertices) {
    reach_square_ = std::max(reach_square_, dot_product<3>(vertex, vertex));
  }
  return true;
}

bool ConvexPolyhedron::has_outer_side() const {
  return std::any_of(solid_.faces.begin(), solid_.faces.end(), [](const Face& face) { return face.outer; });
}

double ConvexPolyhedron::volume() const {
  double six_times = 0;
  for (const Face& face : solid_.faces) {
    const auto vertex = [&](int i) -> const Point<3>& {
      return solid_.vertices[static_cast<std::size_t>(solid_.loops[static_cast<std::size_t>(i)])];
    };
    const Point<3>& a = vertex(face.begin);
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      const Point<3>& b = vertex(i);
      const Point<3>& c = vertex(i + 1);
      six_times += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
  }
  return six_times / 6;
}

}  // namespace whorl::detail

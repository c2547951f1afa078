#include <cmath>

#include "density/convex_cell.hpp"

namespace whorl::detail {

void ConvexPolyhedron::reset(const Point<3>& low, const Point<3>& high) {
  vertices_.clear();
  free_.clear();
  for (const double z : {low[2], high[2]}) {
    for (const double y : {low[1], high[1]}) {
      for (const double x : {low[0], high[0]}) vertices_.push_back({x, y, z});
    }
  }
  loops_ = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
  compact_at_ = 256;
  faces_.clear();
  for (std::size_t begin = 0; begin < loops_.size(); begin += 4) faces_.push_back({begin, begin + 4, true});
  measure_reach();
}

void ConvexPolyhedron::measure_reach() {
  reach_square_ = 0;
  for (const Point<3>& vertex : vertices_) reach_square_ = std::max(reach_square_, dot_product<3>(vertex, vertex));
}

void ConvexPolyhedron::cut(const Point<3>& normal, double offset, bool outer) {
  double tolerance = on_plane * std::sqrt(dot_product<3>(normal, normal) * reach_square_);
  beyond_.resize(vertices_.size());
  double farthest = tolerance;
  for (std::size_t i = 0; i < beyond_.size(); ++i) {
    beyond_[i] = dot_product<3>(normal, vertices_[i]) - offset;
    farthest = std::max(farthest, beyond_[i]);
  }
  // In exact arithmetic a plane cuts off one connected piece, and one run of vertices of each face. If rounding gives
  // another result, the vertices in question lie on the plane within their rounding. A larger tolerance then counts
  // them as on the plane; at the latest the plane cuts nothing.
  while (farthest > tolerance && !try_cut(tolerance, outer)) tolerance *= 8;
}

// The index of the crossing of the plane with an edge. Each edge belongs to two faces, so it is queried twice.
int ConvexPolyhedron::crossing(int inside, int outside) {
  for (std::size_t c = 0; c < crossings_.size(); ++c) {
    if (crossings_[c].inside == inside && crossings_[c].outside == outside) return static_cast<int>(c);
  }
  const auto a = static_cast<std::size_t>(inside);
  const auto b = static_cast<std::size_t>(outside);
  const double part = std::clamp(beyond_[a] / (beyond_[a] - beyond_[b]), 0.0, 1.0);
  Point<3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] = vertices_[a][axis] + part * (vertices_[b][axis] - vertices_[a][axis]);
  }
  crossing_points_.push_back(at);
  crossings_.push_back({inside, outside, -1});
  return static_cast<int>(crossings_.size()) - 1;
}

// Records the remainder of a face. False if the plane cuts off more than one run of its vertices.
bool ConvexPolyhedron::clip(std::size_t index, double tolerance) {
  const Face& face = faces_[index];
  const auto stays = [&](int vertex) { return beyond_[static_cast<std::size_t>(vertex)] <= tolerance; };
  const std::size_t begin = changed_loops_.size();
  int exit = -1;
  int entry = -1;
  for (std::size_t i = face.begin; i < face.end; ++i) {
    const int from = loops_[i];
    const int to = loops_[i + 1 == face.end ? face.begin : i + 1];
    if (stays(from)) changed_loops_.push_back(from);
    if (stays(from) == stays(to)) continue;
    int& place = stays(from) ? exit : entry;
    if (place >= 0) return false;
    place = stays(from) ? crossing(from, to) : crossing(to, from);
    changed_loops_.push_back(-1 - place);
  }
  if (exit >= 0) crossings_[static_cast<std::size_t>(entry)].next = exit;
  changes_.push_back({index, begin, changed_loops_.size()});
  return true;
}

bool ConvexPolyhedron::crossings_form_a_ring() const {
  if (crossings_.size() < 3) return false;
  std::size_t met = 0;
  int at = 0;
  do {
    at = crossings_[static_cast<std::size_t>(at)].next;
    ++met;
  } while (at > 0);
  return at == 0 && met == crossings_.size();
}

bool ConvexPolyhedron::try_cut(double tolerance, bool outer) {
  crossings_.clear();
  crossing_points_.clear();
  changes_.clear();
  changed_loops_.clear();
  for (std::size_t index = 0; index < faces_.size(); ++index) {
    const Face& face = faces_[index];
    bool met = false;
    for (std::size_t i = face.begin; i < face.end; ++i) {
      met = met || beyond_[static_cast<std::size_t>(loops_[i])] > tolerance;
    }
    if (met && !clip(index, tolerance)) return false;
  }
  if (!crossings_form_a_ring()) return false;
  apply(tolerance, outer);
  return true;
}

void ConvexPolyhedron::replace_crossings_by_vertices(double tolerance) {
  for (std::size_t i = 0; i < beyond_.size(); ++i) {
    if (beyond_[i] <= tolerance) continue;
    vertices_[i] = {};
    free_.push_back(static_cast<int>(i));
  }
  crossing_vertices_.clear();
  for (const Point<3>& point : crossing_points_) {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(vertices_.size()));
      vertices_.emplace_back();
    }
    vertices_[static_cast<std::size_t>(free_.back())] = point;
    crossing_vertices_.push_back(free_.back());
    free_.pop_back();
  }
  for (int& vertex : changed_loops_) {
    if (vertex < 0) vertex = crossing_vertices_[static_cast<std::size_t>(-1 - vertex)];
  }
}

void ConvexPolyhedron::apply(double tolerance, bool outer) {
  replace_crossings_by_vertices(tolerance);
  // From the last face to the first, so that removing one does not change the indices of those to come.
  for (std::size_t n = changes_.size(); n-- > 0;) {
    const Change& change = changes_[n];
    Face& face = faces_[change.face];
    const std::size_t length = change.end - change.begin;
    if (length == 0) {
      face = faces_.back();
      faces_.pop_back();
      continue;
    }
    if (length > face.end - face.begin) {
      face.begin = loops_.size();
      loops_.resize(loops_.size() + length);
    }
    face.end = face.begin + length;
    std::copy_n(changed_loops_.begin() + static_cast<Index>(change.begin), length,
                loops_.begin() + static_cast<Index>(face.begin));
  }
  const std::size_t begin = loops_.size();
  int at = 0;
  do {
    loops_.push_back(crossing_vertices_[static_cast<std::size_t>(at)]);
    at = crossings_[static_cast<std::size_t>(at)].next;
  } while (at > 0);
  faces_.push_back({begin, loops_.size(), outer});
  if (loops_.size() > compact_at_) compact();
  measure_reach();
}

// Closes the gaps between the loops.
void ConvexPolyhedron::compact() {
  changed_loops_.clear();
  for (Face& face : faces_) {
    const std::size_t begin = changed_loops_.size();
    changed_loops_.insert(changed_loops_.end(), loops_.begin() + static_cast<Index>(face.begin),
                          loops_.begin() + static_cast<Index>(face.end));
    face.begin = begin;
    face.end = changed_loops_.size();
  }
  std::swap(loops_, changed_loops_);
  compact_at_ = 2 * loops_.size() + 256;
}

bool ConvexPolyhedron::has_outer_side() const {
  return std::any_of(faces_.begin(), faces_.end(), [](const Face& face) { return face.outer; });
}

double ConvexPolyhedron::volume() const {
  double six_times = 0;
  for (const Face& face : faces_) {
    const auto vertex = [&](std::size_t i) -> const Point<3>& {
      return vertices_[static_cast<std::size_t>(loops_[i])];
    };
    const Point<3>& a = vertex(face.begin);
    for (std::size_t i = face.begin + 1; i + 1 < face.end; ++i) {
      const Point<3>& b = vertex(i);
      const Point<3>& c = vertex(i + 1);
      six_times +=
          a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
  }
  return six_times / 6;
}

}  // namespace whorl::detail

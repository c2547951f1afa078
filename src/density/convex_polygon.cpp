#include <cmath>

#include "density/convex_cell.hpp"

namespace whorl::detail {

void ConvexPolygon::reset(const Point<2>& low, const Point<2>& high) {
  vertices_.assign(
      {{{low[0], low[1]}, true}, {{high[0], low[1]}, true}, {{high[0], high[1]}, true}, {{low[0], high[1]}, true}});
  reach_square_ = 0;
  for (const Vertex& vertex : vertices_) {
    reach_square_ = std::max(reach_square_, dot_product<2>(vertex.at, vertex.at));
  }
}

void ConvexPolygon::cut(const Point<2>& normal, double offset, bool outer) {
  const double tolerance = on_plane * std::sqrt(dot_product<2>(normal, normal) * reach_square_);
  beyond_.resize(vertices_.size());
  bool cuts = false;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    beyond_[i] = dot_product<2>(normal, vertices_[i].at) - offset;
    cuts = cuts || beyond_[i] > tolerance;
  }
  if (!cuts) return;
  remaining_.clear();
  reach_square_ = 0;
  const auto keep = [&](const Point<2>& at, bool side) {
    remaining_.push_back({at, side});
    reach_square_ = std::max(reach_square_, dot_product<2>(at, at));
  };
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const std::size_t j = i + 1 == vertices_.size() ? 0 : i + 1;
    const bool inside = beyond_[i] <= tolerance;
    if (inside) keep(vertices_[i].at, vertices_[i].outer);
    if (inside == (beyond_[j] <= tolerance)) continue;
    const double part = std::clamp(beyond_[i] / (beyond_[i] - beyond_[j]), 0.0, 1.0);
    Point<2> at{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      at[axis] = vertices_[i].at[axis] + part * (vertices_[j].at[axis] - vertices_[i].at[axis]);
    }
    keep(at, inside ? outer : vertices_[i].outer);
  }
  std::swap(vertices_, remaining_);
}

bool ConvexPolygon::has_outer_side() const {
  return std::any_of(vertices_.begin(), vertices_.end(), [](const Vertex& vertex) { return vertex.outer; });
}

double ConvexPolygon::volume() const {
  double twice = 0;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const Point<2>& a = vertices_[i].at;
    const Point<2>& b = vertices_[i + 1 == vertices_.size() ? 0 : i + 1].at;
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

}  // namespace whorl::detail

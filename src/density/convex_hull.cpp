#include "density/convex_hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace whorl::detail {

namespace {

// Qhull reports to a C stream, in words for those who know its options: nobody reads this one.
class Report {
 public:
  Report() : stream_(::open_memstream(&text_, &size_)) {
    if (stream_ == nullptr) throw Error("convex hull: can not open a stream in memory");
  }
  ~Report() {
    std::fclose(stream_);
    std::free(text_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  std::FILE* stream() const { return stream_; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

// A run of Qhull, whose memory goes with it.
class Hull {
 public:
  Hull() { qh_zero(&state_, report_.stream()); }
  ~Hull() {
    state_.NOerrexit = True;
    qh_freeqhull(&state_, !qh_ALL);
    int current = 0;
    int total = 0;
    qh_memfreeshort(&state_, &current, &total);
  }
  Hull(const Hull&) = delete;
  Hull& operator=(const Hull&) = delete;

  /// `options` are Qhull's, behind its name.
  int run(std::span<const double> points, int dim, const char* options = "") {
    std::string command = fmt::format("qhull {}", options);
    // Qhull reads the points only: it copies them where it changes them.
    auto* coordinates = const_cast<double*>(points.data());
    return qh_new_qhull(&state_, dim, static_cast<int>(points.size() / static_cast<std::size_t>(dim)), coordinates,
                        False, command.data(), nullptr, report_.stream());
  }
  const facetT* facets() const { return state_.facet_list; }
  std::size_t number_of(const vertexT* vertex) { return static_cast<std::size_t>(qh_pointid(&state_, vertex->point)); }

 private:
  Report report_;
  qhT state_{};
};

using Position = std::array<double, 3>;

// normal . ((b - a) x (c - a)): above 0 where a, b, c go around counterclockwise as the normal looks at one.
double volume_of(const Position& normal, const Position& a, const Position& b, const Position& c) {
  const Position u{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const Position v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return normal[0] * (u[1] * v[2] - u[2] * v[1]) + normal[1] * (u[2] * v[0] - u[0] * v[2]) +
         normal[2] * (u[0] * v[1] - u[1] * v[0]);
}

// Refuses points that Qhull can not make a hull of for the rounding of its numbers.
[[noreturn]] void refuse_points(const char* operation) {
  throw Error(fmt::format(
      "{}: the samples are too near to one place, line or plane for the digits of their positions; use another method",
      operation));
}

}  // namespace

std::vector<HullPlane> convex_hull(const char* operation, std::span<const double> points, int dim) {
  const auto count = static_cast<Index>(points.size()) / dim;
  if (count == 1) {
    throw ValueError(fmt::format("{}: all samples are at one place; there is no {} to share out", operation,
                                 dim == 2 ? "area" : "volume"));
  }
  if (count < dim + 1 || count > std::numeric_limits<int>::max()) {
    throw ValueError(fmt::format("{}: {} different positions of samples, expected from {} to 2^31 - 1 of them",
                                 operation, count, dim + 1));
  }
  Hull hull;
  const int status = hull.run(points, dim);
  if (status == qh_ERRsingular) {
    throw ValueError(fmt::format("{}: all samples lie {}; there is no {} to share out", operation,
                                 dim == 2 ? "on a line" : "in a plane", dim == 2 ? "area" : "volume"));
  }
  if (status != 0) refuse_points(operation);
  std::vector<HullPlane> planes;
  for (const facetT* facet = hull.facets(); facet != nullptr && facet->next != nullptr; facet = facet->next) {
    HullPlane plane;
    std::copy_n(facet->normal, dim, plane.normal.begin());
    plane.offset = -facet->offset;
    planes.push_back(plane);
  }
  return planes;
}

std::optional<std::vector<HullTriangle>> convex_hull_triangles(const char* operation,
                                                               std::span<const std::array<double, 3>> points) {
  if (points.size() < 4) return std::nullopt;
  Hull hull;
  const int status = hull.run({points.front().data(), 3 * points.size()}, 3, "Qt");
  if (status == qh_ERRsingular) return std::nullopt;
  if (status != 0) refuse_points(operation);
  std::vector<HullTriangle> triangles;
  for (const facetT* facet = hull.facets(); facet != nullptr && facet->next != nullptr; facet = facet->next) {
    HullTriangle triangle;
    std::copy_n(facet->normal, 3, triangle.plane.normal.begin());
    triangle.plane.offset = -facet->offset;
    for (std::size_t i = 0; i < 3; ++i) {
      triangle.corners[i] = hull.number_of(static_cast<const vertexT*>(facet->vertices->e[i].p));
    }
    // Qhull keeps the orientation of a facet as a flag beside corners in any order; here it is put into the order.
    const auto& [a, b, c] = triangle.corners;
    if (volume_of(triangle.plane.normal, points[a], points[b], points[c]) < 0) {
      std::swap(triangle.corners[1], triangle.corners[2]);
    }
    triangles.push_back(triangle);
  }
  return triangles;
}

HullPlanes::HullPlanes(std::vector<HullPlane> planes) : planes_(std::move(planes)) {
  nodes_.push_back(node_of(0, planes_.size()));
  for (std::size_t index = 0; index < nodes_.size(); ++index) split(index);
}

HullPlanes::Node HullPlanes::node_of(std::size_t begin, std::size_t end) const {
  Node node{planes_[begin].normal, planes_[begin].normal, planes_[begin].offset, begin, end, 0};
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      node.low[axis] = std::min(node.low[axis], planes_[i].normal[axis]);
      node.high[axis] = std::max(node.high[axis], planes_[i].normal[axis]);
    }
    node.least_offset = std::min(node.least_offset, planes_[i].offset);
  }
  return node;
}

void HullPlanes::split(std::size_t index) {
  constexpr std::size_t leaf_size = 8;
  const Node node = nodes_[index];
  if (node.end - node.begin <= leaf_size) return;
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (node.high[axis] - node.low[axis] > node.high[longest] - node.low[longest]) longest = axis;
  }
  const std::size_t middle = node.begin + (node.end - node.begin) / 2;
  const auto place = [&](std::size_t i) { return planes_.begin() + static_cast<Index>(i); };
  std::nth_element(place(node.begin), place(middle), place(node.end),
                   [&](const HullPlane& a, const HullPlane& b) { return a.normal[longest] < b.normal[longest]; });
  nodes_[index].child = nodes_.size();
  nodes_.push_back(node_of(node.begin, middle));
  nodes_.push_back(node_of(middle, node.end));
}

double HullPlanes::distance(const std::array<double, 3>& position) const {
  double least = std::numeric_limits<double>::max();
  nearer_than(
      position, [&] { return least; }, [&](const HullPlane&, double distance) { least = distance; });
  return least;
}

}  // namespace whorl::detail

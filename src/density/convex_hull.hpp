// Private: the convex hull of the samples, the support for the quality of density weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::detail {

/// A half-space that holds all samples: normal . x <= offset, with a normal of length 1 (in 2D its z is 0).
struct HullPlane {
  std::array<double, 3> normal{};
  double offset = 0;
};

/// The half-spaces whose intersection is the convex hull, by Qhull (Barber, Dobkin, Huhdanpaa, ACM Trans Math Softw 22
/// (1996) 469), which merges facets that lie in one plane within rounding. Messages begin with `operation`.
///
/// Throws ValueError for fewer than dim + 1 points, or points on a line (2D) or in a plane (3D)
std::vector<HullPlane> convex_hull(const char* operation, std::span<const double> points, int dim);

/// A triangle of the convex hull of points in 3D.
struct HullTriangle {
  HullPlane plane;
  std::array<std::size_t, 3> corners{};  ///< which of the points, counterclockwise as seen from outside
};

/// The convex hull of points in 3D, cut into triangles; empty for fewer than 4 points or points in a plane.
std::optional<std::vector<HullTriangle>> convex_hull_triangles(const char* operation,
                                                               std::span<const std::array<double, 3>> points);

/// Finds the planes of a convex hull near a position: a binary tree of planes, split by their directions. A kooshball
/// has tens of thousands of planes, and only a few are near a sample.
class HullPlanes {
 public:
  explicit HullPlanes(std::vector<HullPlane> planes);

  /// Distance from a position in the hull to the nearest plane; less than 0 outside.
  double distance(const std::array<double, 3>& position) const;

  /// Calls visit(plane, distance) for all planes nearer than reach(), which may shrink meanwhile.
  template <class Reach, class Visit>
  void nearer_than(const std::array<double, 3>& position, const Reach& reach, const Visit& visit) const {
    search(0, position, reach, visit);
  }

 private:
  struct Node {
    std::array<double, 3> low{};  // corners of the box around the normals
    std::array<double, 3> high{};
    double least_offset = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t child = 0;  // the first of two, which lie side by side; 0: a leaf

    // A lower bound of the distance to its planes.
    double distance(const std::array<double, 3>& position) const {
      double bound = least_offset;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bound -= std::max(low[axis] * position[axis], high[axis] * position[axis]);
      }
      return bound;
    }
  };

  Node node_of(std::size_t begin, std::size_t end) const;
  void split(std::size_t index);

  template <class Reach, class Visit>
  void search(std::size_t index, const std::array<double, 3>& position, const Reach& reach, const Visit& visit) const {
    const Node& node = nodes_[index];
    if (node.distance(position) >= reach()) return;
    if (node.child == 0) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto& normal = planes_[i].normal;
        const double distance =
            planes_[i].offset - normal[0] * position[0] - normal[1] * position[1] - normal[2] * position[2];
        if (distance < reach()) visit(planes_[i], distance);
      }
      return;
    }
    const bool second = nodes_[node.child + 1].distance(position) < nodes_[node.child].distance(position);
    search(node.child + (second ? 1 : 0), position, reach, visit);
    search(node.child + (second ? 0 : 1), position, reach, visit);
  }

  std::vector<HullPlane> planes_;
  std::vector<Node> nodes_;
};

}  // namespace whorl::detail

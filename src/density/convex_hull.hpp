// Private: the convex hull of the samples, the support that density weights are judged in.
#pragma once

#include <array>
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
/// (1996) 469), which merges facets that lie in one plane within rounding. `operation` is what messages begin with.
///
/// Throws ValueError when there are fewer than dim + 1 points or all lie on a line (2D) or in a plane (3D)
std::vector<HullPlane> convex_hull(const char* operation, std::span<const double> points, int dim);

/// Distance to the boundary of a convex hull.
class HullDistance {
 public:
  /// `low` and `high` are the corners of the box that positions are asked for in.
  HullDistance(std::vector<HullPlane> planes, int dim, std::span<const double> low, std::span<const double> high);

  const std::vector<HullPlane>& planes() const { return planes_; }
  /// A lower bound of the distance from x to all planes, in constant time: the distance at the nearest of 33^dim
  /// nodes, which were measured beforehand, less the way there.
  double at_least(std::span<const double> x) const;

 private:
  static constexpr Index steps = 32;

  int dim_;
  std::vector<HullPlane> planes_;
  std::array<double, 3> low_{};
  std::array<double, 3> step_{};
  std::vector<double> distance_;  // [z][y][x]
};

}  // namespace whorl::detail

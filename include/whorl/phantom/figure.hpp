// The figures of phantoms, with known Fourier transforms.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

// Lengths of all figures are in halves of the field of view: 0 is the center of voxel floor(N/2), 1 is N/2 pixels from
// it. y points down in a picture, and angles turn from x towards y. The z components are unused in 2D.

enum class SolidKind {
  ellipsoid,  ///< |(x/a, y/b, z/c)| <= 1; in 2D an ellipse
  box,        ///< |x| <= a, |y| <= b, |z| <= c; in 2D a rectangle
  cylinder,   ///< along z: |(x/a, y/b)| <= 1, |z| <= c; in 2D an ellipse
};

/// A stretched and rotated ball, cube or cylinder.
struct Solid {
  SolidKind kind = SolidKind::ellipsoid;
  std::array<double, 3> center{0, 0, 0};
  std::array<double, 3> half_axes{1, 1, 1};  ///< a, b, c: before the rotation, along x, y, z
  double angle = 0;                          ///< rotation about z in radians
};

enum class ContourKind {
  polygon,  ///< the points are its vertices
  spline,   ///< the points are the control points of a closed uniform cubic B-spline
};

/// The inside of a closed curve that does not cross itself; in 3D a prism along z.
struct Contour {
  ContourKind kind = ContourKind::polygon;
  std::vector<std::array<double, 2>> points;  ///< x, y; three or more, in either sense of rotation
  double center_z = 0;
  double half_length = 1;  ///< along z
};

using PhantomFigure = std::variant<Solid, Contour>;

}  // namespace whorl

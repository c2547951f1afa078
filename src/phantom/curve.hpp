// Private: the closed curve of a contour.
#pragma once

#include <array>
#include <vector>

#include "math/matrix_types.hpp"
#include "whorl/phantom/figure.hpp"

namespace whorl::detail {

/// A piece of the curve: r(t) = sum_p column p * t^p, 0 <= t <= 1.
using CurvePiece = Eigen::Matrix<double, 2, 4>;

/// The pieces, each coordinate times `scale`, in the sense of rotation that makes the area positive.
std::vector<CurvePiece> curve_pieces(const Contour& contour, const Eigen::Vector2d& scale);

/// Points of a quadrature along the curve: integral v . dr = sum_n v(places_n) . steps_n.
struct CurveNodes {
  Eigen::Matrix2Xd places;
  Eigen::Matrix2Xd steps;
};

/// Gauss-Legendre quadrature of as many nodes for each piece.
CurveNodes curve_nodes(const std::vector<CurvePiece>& pieces, const std::vector<int>& counts);

/// Corners of a polygon on the curve: the vertices, or 32 for each piece of a spline, in the contour's own coordinates.
std::vector<std::array<double, 2>> curve_polygon(const Contour& contour);

}  // namespace whorl::detail

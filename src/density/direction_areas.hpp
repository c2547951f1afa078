// Private: the area of each of a set of directions on the circle or sphere.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace whorl::detail {

/// Directions closer than this are equal, in radians. Files with positions in float round the directions of spokes by
/// up to 1e-7.
inline constexpr double direction_merge_distance = 1e-6;

/// The part of the circle (dim 2, radians) or of the sphere (dim 3, steradians) that is closer to each direction than
/// to any other: the spherical Voronoi cells. They follow from the convex hull of the directions (Qhull): the normals
/// of its facets are the corners of the cells. Equal directions share a cell.
///
/// Directions that leave half of the circle or sphere empty are extrapolated: cells at the edge end halfway to the
/// mirror images -u of the directions u. In 3D, fewer than 4 directions, or directions in one plane, get equal areas.
///
/// `directions` are of length 1, with z = 0 in 2D.
std::vector<double> direction_areas(int dim, std::span<const std::array<double, 3>> directions);

}  // namespace whorl::detail

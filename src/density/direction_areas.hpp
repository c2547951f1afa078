// Private: how much of all directions belongs to each of a set of directions.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace whorl::detail {

/// Directions nearer to each other than this are one, in radians. Files that hold positions in float round the
/// directions of spokes by up to 1e-7.
inline constexpr double direction_merge_distance = 1e-6;

/// The part of the circle (dim 2, radians) or of the sphere (dim 3, steradians) that lies nearer to each direction than
/// to any other: the spherical Voronoi cells, from the convex hull of the directions, whose facets have the corners of
/// the cells as normals (Qhull). Equal directions share a cell.
///
/// Directions that leave half of the circle or of the sphere empty are extrapolated: cells at the edge end halfway to
/// the mirror images -u of the directions u. In 3D directions that are fewer than 4 or lie in one plane, between which
/// no area can be shared out, get equal areas.
///
/// `directions` are of length 1, with z = 0 in 2D.
std::vector<double> direction_areas(int dim, std::span<const std::array<double, 3>> directions);

}  // namespace whorl::detail

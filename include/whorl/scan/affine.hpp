// Where the voxels of an image lie in the patient.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/shape.hpp"
#include "whorl/scan/geometry.hpp"

namespace whorl {

/// From voxel (i, j, k), i along x and fastest in memory, to RAS+ millimeters: row r of the world is
/// matrix[r][0] i + matrix[r][1] j + matrix[r][2] k + matrix[r][3].
struct Affine {
  std::array<std::array<double, 4>, 3> matrix{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  /// Whether the world is the scanner's. Not so where the geometry has no field of view: voxels of 1 mm are assumed
  /// along the axes of unknown field of view, and programs are told not to trust the place.
  bool in_scanner = true;
};

/// The affine of a volume: voxel floor(N/2) along each axis lies at geometry.position_mm, the voxel's edges are
/// field_of_view_mm / matrix, and LPS becomes RAS by a change of sign of the first two coordinates.
///
/// Shapes  matrix: x, y, z
/// Throws  ValueError where a position or field of view is not finite or negative, the matrix is empty, or the
///         directions are not three perpendicular unit vectors (to 1e-3)
Affine voxel_affine(const Geometry& geometry, const std::array<Index, 3>& matrix);

/// Frames that form one volume, or a series of volumes on the same grid.
struct SliceStack {
  Geometry geometry;  ///< of the whole stack
  Index slices = 0;
  std::vector<Index> frames;  ///< [volume, slice]: which frame lies there; slices in the order of slice_direction
};

struct SliceStacks {
  std::vector<SliceStack> stacks;
  std::string irregularity;  ///< why the frames do not form one regular stack; empty where they do
};

/// Sorts 2D frames into a stack: equal directions and field of view, positions on one line along slice_direction at
/// equal distances (to 1 % of the distance), as many frames at each position. The distance of the positions, which
/// includes the gaps between the slices, becomes the voxel's third edge. Frames at the same position become volumes in
/// their order. Frames that do not form one stack become one stack of one slice for each distinct geometry, and
/// `irregularity` says why. Frames that are volumes themselves (`depth`, their voxels along z, is above 1) are not put
/// on top of each other: only equal geometries form one series.
///
/// Throws  ValueError when there are no frames
SliceStacks stack_slices(std::span<const Geometry> frames, Index depth);

}  // namespace whorl

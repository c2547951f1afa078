// Affine: the position of an image's voxels in the patient.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/shape.hpp"
#include "whorl/scan/geometry.hpp"

namespace WHORL_PUBLIC whorl {

/// Map from voxel (i, j, k), i along x and fastest in memory, to RAS+ millimeters: row r of the world is
/// matrix[r][0] i + matrix[r][1] j + matrix[r][2] k + matrix[r][3].
struct Affine {
  std::array<std::array<double, 4>, 3> matrix{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  /// True if the coordinates are the scanner's. False if the field of view is unknown along an axis: voxels of 1 mm are
  /// assumed there, and files are marked as having no position in the scanner.
  bool in_scanner = true;
};

/// The affine of a volume. Voxel floor(N/2) along each axis lies at geometry.position_mm. A voxel has the edges
/// field_of_view_mm / matrix. The first two coordinates change sign from LPS to RAS.
///
/// Shapes  matrix: x, y, z
/// Throws  ValueError (a position that is not finite, a field of view that is not finite or negative, an empty matrix,
///         directions that are not three perpendicular unit vectors to 1e-3)
Affine voxel_affine(const Geometry& geometry, const std::array<Index, 3>& matrix);

/// Frames that form one volume, or a series of volumes on the same grid.
struct SliceStack {
  Geometry geometry;  ///< of the whole stack
  Index slices = 0;
  std::vector<Index> frames;  ///< [volume, slice]: index of the frame; slices in the order of slice_direction
};

struct SliceStacks {
  std::vector<SliceStack> stacks;
  std::string irregularity;  ///< why the frames do not form one regular stack; empty if they do
};

/// Sorts 2D frames into a stack. The frames of a stack have equal directions and field of view, lie on one line along
/// slice_direction at equal distances (to 1 % of the distance), and are equally many at each position. The distance of
/// the positions, which includes gaps between slices, becomes the third edge of a voxel. Frames at the same position
/// become volumes, in their order. If the frames do not form one stack, each distinct geometry becomes a stack of one
/// slice, and `irregularity` says why. Frames that are volumes themselves (`depth`, their voxels along z, above 1) are
/// not stacked: frames of equal geometry form one series.
///
/// Throws  ValueError when there are no frames
SliceStacks stack_slices(std::span<const Geometry> frames, Index depth);

}  // namespace whorl

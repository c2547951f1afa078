// Phantoms to measure with: resolution and geometric distortion.
#pragma once

#include <array>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {

/// Groups of four bars with gaps as wide as the bars, one row of groups for each line width: bars to be told apart
/// along x, along y and, in 3D, along z, and a group of 4 x 4 rods along z whose diameters and gaps are one line width.
/// All lie in a disk, in 3D a cylinder along z, of intensity 0.25; the bars and rods have intensity 1.
///
/// Units   line widths and field of view (x, y, z) in one unit: pixels with the matrix for a field of view, or mm
/// Throws  ValueError (dim, no line width or one that is not positive, rows that do not fit into the disk)
Phantom resolution_phantom(int dim, const std::array<double, 3>& field_of_view, std::span<const double> line_widths);

/// A square plate (3D: cube) of 0.9 of the field of view with marks whose centers are known: a lattice around the
/// middle with a pitch of 0.075 of the field of view along each axis (9 x 9 in 2D; in 3D 0.15 and 5 x 5 x 5), disks or
/// balls alternating with squares or cubes, the middle one twice as large; along the four sides wedges that grow from
/// nothing to 0.05 of the field of view; and in the corner of smallest x and y a triangle, which tells a mirrored
/// image. The plate has intensity 0.5, what lies on it 1.
///
/// Throws  ValueError when dim is not 2 or 3
Phantom geometric_phantom(int dim);

}  // namespace whorl

// Test phantoms for resolution and geometric distortion.
#pragma once

#include <array>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/phantom/phantom.hpp"

namespace WHORL_PUBLIC whorl {

/// Groups of four bars with gaps as wide as the bars, one row of groups per line width. The bars of a group follow one
/// another along x, along y or, in 3D, along z. A further group has 4 x 4 rods along z with diameters and gaps of one
/// line width. All lie in a disk (3D: a cylinder along z) of intensity 0.25; bars and rods have intensity 1.
///
/// Units   line widths and field of view (x, y, z) in one unit: pixels with the matrix for a field of view, or mm
/// Throws  ValueError (dim, no line width or one that is not positive, rows that do not fit into the disk)
Phantom resolution_phantom(int dim, const std::array<double, 3>& field_of_view, std::span<const double> line_widths);

/// A square plate (3D: cube) of 0.9 of the field of view with marks at known positions. A lattice around the middle has
/// a pitch of 0.075 of the field of view along each axis (9 x 9 in 2D; in 3D 0.15 and 5 x 5 x 5). Disks or balls
/// alternate with squares or cubes; the middle one is twice as large. Along the four sides are wedges that grow from
/// zero to 0.05 of the field of view. A triangle in the corner of smallest x and y reveals a mirrored image. The plate
/// has intensity 0.5, the marks 1.
///
/// Throws  ValueError (dim not 2 or 3)
Phantom geometric_phantom(int dim);

}  // namespace whorl

// Moving the field of view of a scan to another place.
#pragma once

#include <array>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Moves the center of the images by this many pixels along x, y and z: the samples are multiplied by exp(2 pi i k.r), and
/// the geometry of each frame moves along. Fractions of pixels are interpolated exactly. Coil maps of the scan, which are
/// those of the former place, are left out. A note says by how much.
///
/// Throws  ValueError (a shift that is not finite, or along z in 2D)
void shift_field_of_view(Scan& scan, const std::array<double, 3>& pixels);

}  // namespace whorl

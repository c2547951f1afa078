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

/// The position of a frame's field of view by its geometry, in pixels from the isocenter along x, y and z; in 2D, where the
/// slice is excited at its place, 0 along z. Throws ValueError (a position, and a field of view of unknown size).
std::array<double, 3> position_in_pixels(const Scan& scan, const ScanFrame& frame);

/// For data that were taken about the isocenter: moves the images of each frame to the position that its geometry has
/// already (position_in_pixels). Data in which the scanner has made this shift would move twice. Coil maps of the scan are left
/// out, and a note says by how much the first frame moved. Throws as position_in_pixels.
void shift_to_header(Scan& scan);

}  // namespace whorl

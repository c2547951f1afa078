// Align: makes a color picture from three gray plates one below the other (the exercise on Prokudin-Gorskii's plates).
#pragma once

#include "whorl/filter/geometry/registration.hpp"

namespace WHORL_PUBLIC whorl {

struct AlignOptions : ShiftOptions {
  bool trim = false;  ///< the frames around the plates are left out
};

/// The plates are, from top to bottom, blue, green and red, each of int(height / 3) rows. For a color picture the first
/// channel is used. Green stays; red and blue are shifted onto it by find_shift, with bicubic weights for fractions of
/// a pixel. Pixels that red or blue lack are 0.
///
/// With trim the frame around each plate (find_plate_frame) takes no part in the search. A pixel that lies in the frame
/// of a plate, or that a plate lacks, is 0 in all colors. The size of the result stays the same.
/// Throws  ShapeError for less than three rows or for volumes, Unsupported for complex images
std::unique_ptr<Filter> make_align(const AlignOptions& options);

/// The shifts of red and blue that make_align applies: red(y, x) of the result is row y + dy and column x + dx of the
/// red plate.
struct PlateShifts {
  Shift red;
  Shift blue;
};
PlateShifts find_plate_shifts(const Context& ctx, const Image& plates, const AlignOptions& options);

/// Rows and columns that the frame of a plate takes.
struct PlateFrame {
  Index top = 0;
  Index bottom = 0;
  Index left = 0;
  Index right = 0;
};

/// The frame around a gray plate. On each side it ends at the innermost line, within a tenth of the extent, of which
/// three quarters of the pixels are on or next to an edge of make_canny (default thresholds); without such a line it is
/// 0. The frame may include up to two lines of the picture.
PlateFrame find_plate_frame(const Context& ctx, const Image& plate);

}  // namespace whorl

// Align: one color picture from three gray plates one below the other (the exercise on Prokudin-Gorskii's plates).
#pragma once

#include "whorl/filter/geometry/registration.hpp"

namespace WHORL_PUBLIC whorl {

struct AlignOptions : ShiftOptions {
  bool trim = false;  ///< the frames around the plates are left out
};

/// The plates are, from top to bottom, blue, green and red, each of int(height / 3) rows; of a color picture the first
/// channel is taken. Green stays; red and blue are shifted onto it by find_shift, with bicubic weights for fractions of
/// a pixel. Pixels that red or blue lack are 0.
///
/// With trim the frame around each plate (find_plate_frame) takes no part in the search, and pixels that lie in the frame
/// of one of the three, or that one of them lacks, are 0 in all colors. The size of the result stays the same.
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

/// The frame around a gray plate: on each side up to its innermost line, of those within a tenth of the extent, that is
/// an edge by make_canny (default thresholds) in three quarters of its pixels, or whose neighbors are; no such line: 0.
/// It may take up to two lines of the picture along with it.
PlateFrame find_plate_frame(const Context& ctx, const Image& plate);

}  // namespace whorl

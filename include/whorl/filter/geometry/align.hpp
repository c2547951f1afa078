// Align: one color picture from three gray plates one below the other (the exercise on Prokudin-Gorskii's plates).
#pragma once

#include "whorl/filter/geometry/registration.hpp"

namespace whorl {

struct AlignOptions : ShiftOptions {};

/// The plates are, from top to bottom, blue, green and red, each of int(height / 3) rows; of a color picture the first
/// channel is taken. Green stays; red and blue are shifted onto it by find_shift, with bicubic weights for fractions of
/// a pixel. Pixels that red or blue lack are 0.
/// Throws  ShapeError for less than three rows or for volumes, Unsupported for complex images
std::unique_ptr<Filter> make_align(const AlignOptions& options);

/// The shifts of red and blue that make_align applies: red(y, x) of the result is row y + dy and column x + dx of the
/// red plate.
struct PlateShifts {
  Shift red;
  Shift blue;
};
PlateShifts find_plate_shifts(const Context& ctx, const Image& plates, const AlignOptions& options);

}  // namespace whorl

// Align: three gray plates one under the other as one color picture, the exercise on Prokudin-Gorskii's plates.
#pragma once

#include "whorl/filter/geometry/registration.hpp"

namespace whorl {

struct AlignOptions : ShiftOptions {};

/// The plates are, from top to bottom, blue, green and red, each int(height / 3) rows of the picture; of a picture in
/// color the first channel is taken. Green stays, and red and blue are shifted onto it by find_shift; pixels that they
/// do not have are 0. Parts of pixels are read by bicubic weights.
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

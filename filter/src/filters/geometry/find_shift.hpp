// Code that the filters which find a shift share.
#pragma once

#include <utility>

#include "whorl/filter/describe.hpp"
#include "whorl/filter/geometry/registration.hpp"

namespace whorl::filters {

/// The image at (y + dy, x + dx), with cubic interpolation; 0 outside.
Image shifted(const Context& ctx, const Image& image, const Shift& shift);

/// Adds the options of ShiftOptions to a table of them, or of a struct that derives from it.
template <class Builder>
Builder&& with_shift_options(Builder&& builder) {
  return std::forward<Builder>(builder)
      .integer("range", &ShiftOptions::range, {0, 256}, "pixels",
               "largest shift in each direction, in the coarsest image")
      .template choice<ShiftScore>("score", &ShiftOptions::score,
                                   {{"mse", ShiftScore::squared_difference}, {"correlation", ShiftScore::correlation}},
                                   "measure of how well images match", false)
      .integer("subpixel", &ShiftOptions::subpixel, {1, 16}, "", "the shift is a multiple of 1 / subpixel pixels")
      .real("central", &ShiftOptions::central, {0.01, 1}, "", "the part of height and width that is compared")
      .integer("coarsest", &ShiftOptions::coarsest, {1, 1 << 30}, "pixels",
               "images are halved while their smaller side stays at least this");
}

}  // namespace whorl::filters

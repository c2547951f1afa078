// Code that the filters which find a shift share.
#pragma once

#include <utility>

#include "whorl/filter/describe.hpp"
#include "whorl/filter/geometry/registration.hpp"

namespace whorl::filters {

/// The image at (y + dy, x + dx), with cubic interpolation; 0 outside.
Image shifted(const Context& ctx, const Image& image, const Shift& shift);

inline constexpr Index most_shift_range = 256;
inline constexpr Index most_shift_parts = 16;

/// Throws ValueError, naming the filter, for an option out of its range.
void check_shift_options(const char* name, const ShiftOptions& options);

/// The parameters of ShiftOptions.
template <class Options>
DescribeFilter<Options>&& describe_shift(DescribeFilter<Options>&& describe) {
  return std::move(describe)
      .integer("range", &Options::range, {0, most_shift_range}, "pixels",
               "largest shift in each direction, in the coarsest image")
      .template choice<ShiftScore>("score", &Options::score,
                                   {{"mse", ShiftScore::squared_difference}, {"correlation", ShiftScore::correlation}},
                                   "measure of how well images match", false)
      .integer("subpixel", &Options::subpixel, {1, most_shift_parts}, "",
               "the shift is a multiple of 1 / subpixel pixels")
      .real("central", &Options::central, {0.01, 1}, "", "the part of height and width that is compared")
      .integer("coarsest", &Options::coarsest, {1, 1 << 30}, "pixels",
               "images are halved while their smaller side stays at least this");
}

}  // namespace whorl::filters

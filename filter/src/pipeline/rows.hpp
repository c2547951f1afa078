// Rows of images, for filters that work on bands.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl::rows {

/// The format with another height.
ImageFormat with_rows(ImageFormat format, Index height);

/// Copies the rows `range` of every slice to those from `at` on of an image of the same width and pixels.
void copy_rows(const Context& ctx, const Image& from, RowRange range, Image& to, Index at = 0);

/// The rows that a window reaches with `radius` rows above and below, as do_rows_needed returns them. All rows for a
/// border that wraps.
RowRange within_reach(const ImageFormat& input, RowRange result, Index radius, Border border);

}  // namespace whorl::rows

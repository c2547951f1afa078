// Warps as jobs of the kernel: images read along slanted lines.
#pragma once

#include "filter/src/kernels/geometry/warp.hpp"
#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl::filters {

/// The lines along which the kernel reads, for whole images of any pixel type.
struct WarpLines {
  kernels::Fixed start_y = 0, start_x = 0;
  kernels::Fixed down_y = 0, down_x = 0;
  kernels::Fixed along_y = 0, along_x = 0;
};

kernels::Fixed to_fixed(double pixels);

/// result(y, x) = input(y + dy, x + dx)
WarpLines shifted_lines(double dy, double dx);

/// Rows `wanted` of the result, from a band of an image of format `whole`.
void warp(const Context& ctx, const WarpLines& lines, bool cubic, const BorderOptions& border, const ImageFormat& whole,
          const Image& band, RowRange given, RowRange wanted, Image& result);

}  // namespace whorl::filters

#include "filter/src/filters/geometry/warp.hpp"

#include <cmath>

#include "filter/src/filters/points/pixel_value.hpp"

namespace whorl::filters {

kernels::Fixed to_fixed(double pixels) { return std::llround(std::ldexp(pixels, kernels::fixed_bits)); }

WarpLines shifted_lines(double dy, double dx) {
  WarpLines lines;
  lines.start_y = to_fixed(dy);
  lines.start_x = to_fixed(dx);
  lines.down_y = to_fixed(1);
  lines.along_x = to_fixed(1);
  return lines;
}

void warp(const Context& ctx, const WarpLines& lines, bool cubic, const BorderOptions& border, const ImageFormat& whole,
          const Image& band, RowRange given, RowRange wanted, Image& result) {
  with_pixel_type(whole.type, [&](auto number) {
    using T = decltype(number);
    kernels::WarpJob<T> job;
    job.slices = whole.slices();
    job.channels = count_of(whole.channels);
    job.height = whole.height;
    job.width = whole.width;
    job.first_row = given.first;
    job.rows_there = given.count();
    job.result_height = result.format().height;
    job.result_width = result.format().width;
    job.start_y = lines.start_y + wanted.first * lines.down_y;
    job.start_x = lines.start_x + wanted.first * lines.down_x;
    job.down_y = lines.down_y;
    job.down_x = lines.down_x;
    job.along_y = lines.along_y;
    job.along_x = lines.along_x;
    job.cubic = cubic;
    job.border = border.border;
    job.value = pixel_value<T>(border.border_value);
    kernels::warp<T>(ctx, job, band.pixels<T>().data(), result.pixels<T>().data());
  });
}

}  // namespace whorl::filters

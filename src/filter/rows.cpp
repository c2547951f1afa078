#include "filter/rows.hpp"

namespace whorl::rows {

ImageFormat with_rows(ImageFormat format, Index height) {
  format.height = height;
  return format;
}

void copy_rows(const Context& ctx, const Image& from, Index first, Image& to) {
  const ImageFormat& format = to.format();
  with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    const ArrayRef<const T> source = from.pixels<T>();
    const ArrayRef<T> target = to.pixels<T>();
    const Shape rows{format.height, format.row()};
    for (Index slice = 0; slice < format.slices(); ++slice) {
      const T* at = source.data() + (slice * from.format().height + first) * format.row();
      copy<T>(ctx, ArrayRef<const T>(at, rows, source.device()),
              ArrayRef<T>(target.data() + slice * rows.size(), rows, target.device()));
    }
  });
}

RowRange within_reach(const ImageFormat& input, RowRange result, Index radius, Border border) {
  if (border == Border::wrap) return {0, input.height};
  return {result.first - radius, result.last + radius};
}

}  // namespace whorl::rows

#include "filter/src/pipeline/rows.hpp"

namespace whorl::rows {

ImageFormat with_rows(ImageFormat format, Index height) {
  format.height = height;
  return format;
}

void copy_rows(const Context& ctx, const Image& from, RowRange range, Image& to, Index at) {
  const Index row = to.format().row();
  with_pixel_type(to.format().type, [&](auto number) {
    using T = decltype(number);
    const ArrayRef<const T> source = from.pixels<T>();
    const ArrayRef<T> target = to.pixels<T>();
    const Shape rows{range.count(), row};
    for (Index slice = 0; slice < to.format().slices(); ++slice) {
      const T* first = source.data() + (slice * from.format().height + range.first) * row;
      T* place = target.data() + (slice * to.format().height + at) * row;
      copy<T>(ctx, ArrayRef<const T>(first, rows, source.device()), ArrayRef<T>(place, rows, target.device()));
    }
  });
}

RowRange within_reach(const ImageFormat& input, RowRange result, Index radius, Border border) {
  if (border == Border::wrap) return {0, input.height};
  return {result.first - radius, result.last + radius};
}

}  // namespace whorl::rows

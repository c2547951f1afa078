// The frames of plates: long straight edges near the sides.
#include <algorithm>

#include "whorl/filter/geometry/align.hpp"
#include "whorl/filter/windows/canny.hpp"

namespace whorl {

namespace {

// A frame takes at most a tenth of an extent on each side. Its edge is straight over three quarters of a side's length;
// the content of a picture seldom is.
constexpr Index most_of_extent = 10;
constexpr Index quarters_of_length = 3;

/// The lines of an axis of Canny's edges: line(i, j) is pixel j of line i.
template <class Line>
Index frame_of(Index lines, Index length, const Line& edge) {
  const Index reach = lines / most_of_extent;
  // The corners belong to the frames of the other sides.
  const Index first = length / most_of_extent;
  const Index last = length - first;
  Index frame = 0;
  for (Index i = 0; i < reach; ++i) {
    Index count = 0;
    for (Index j = first; j < last; ++j) {
      // A plate may be slightly rotated in its picture, so the adjacent lines count too.
      const bool here = edge(i, j) || edge(i + 1, j) || (i > 0 && edge(i - 1, j));
      count += here ? 1 : 0;
    }
    if (4 * count >= quarters_of_length * (last - first)) frame = i + 1;
  }
  return frame;
}

}  // namespace

PlateFrame find_plate_frame(const Context& ctx, const Image& plate) {
  const Image edges = to_host(ctx, make_canny({})->apply(ctx, plate));
  const ImageFormat& format = edges.format();
  const Index height = format.height;
  const Index width = format.width;
  return with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    const T* const pixels = edges.pixels<T>().data();
    const auto edge = [&](Index y, Index x) { return pixels[y * width + x] != 0; };
    return PlateFrame{
        .top = frame_of(height, width, [&](Index i, Index j) { return edge(i, j); }),
        .bottom = frame_of(height, width, [&](Index i, Index j) { return edge(height - 1 - i, j); }),
        .left = frame_of(width, height, [&](Index i, Index j) { return edge(j, i); }),
        .right = frame_of(width, height, [&](Index i, Index j) { return edge(j, width - 1 - i); }),
    };
  });
}

}  // namespace whorl

#include "io/pictures/arrays.hpp"

#include <vector>

#include "io/pictures/rows.hpp"

namespace whorl::io {

Array<float> read_picture_array(const Context& ctx, const std::filesystem::path& path) {
  const Source source = open_picture(path, PnmValues::as_stored);
  const ImageFormat& format = source->format();
  const Index channels = count_of(format.channels);
  Array<float> picture(
      ctx, channels == 1 ? Shape{format.height, format.width} : Shape{channels, format.height, format.width});
  with_pixel_type(format.type, [&](auto number) {
    std::vector<decltype(number)> row(static_cast<std::size_t>(format.row()));
    for (Index y = 0; y < format.height; ++y) {
      ctx.check_cancel("reading a picture");
      source->read_row(reinterpret_cast<std::byte*>(row.data()));
      for (Index x = 0; x < format.row(); ++x) {
        const Index at = (x % channels * format.height + y) * format.width + x / channels;
        picture.data()[at] = static_cast<float>(row[static_cast<std::size_t>(x)]);
      }
    }
  });
  return picture;
}

}  // namespace whorl::io

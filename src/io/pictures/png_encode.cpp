#include "io/pictures/png_encode.hpp"

#include "io/pictures/rows.hpp"

namespace whorl::io {

void write_png_pixels(const Context& ctx, const std::filesystem::path& path, Index width, Index height,
                      Channels channels, std::span<const std::uint8_t> pixels) {
  const ImageFormat format{.channels = channels, .height = height, .width = width};
  const Sink sink = create_png(path, format);
  for (Index y = 0; y < height; ++y) {
    ctx.check_cancel("writing PNG");
    sink->write_row(std::as_bytes(pixels).data() + static_cast<std::size_t>(y * format.row()));
  }
  sink->commit();
}

}  // namespace whorl::io

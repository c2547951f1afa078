#include "io/png_encode.hpp"

#include <fmt/format.h>
#include <png.h>

#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

// libpng's simplified interface: it reports errors by its result and needs no setjmp.
std::vector<png_byte> encode(Index width, Index height, PixelFormat format, std::span<const std::uint8_t> pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format == PixelFormat::gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<png_byte> encoded(bytes);
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, pixels.data(), 0, nullptr) == 0) {
    throw Error(fmt::format("writing PNG: {}", image.message));
  }
  encoded.resize(bytes);
  return encoded;
}

}  // namespace

void write_png_pixels(const Context& ctx, const std::filesystem::path& path, Index width, Index height,
                      PixelFormat format, std::span<const std::uint8_t> pixels) {
  ctx.check_cancel("writing PNG");
  const std::vector<png_byte> encoded = encode(width, height, format, pixels);
  AtomicFile file(path);
  file.write(encoded.data(), encoded.size());
  file.commit();
}

}  // namespace whorl::io

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <vector>

#include "io/byte_source.hpp"
#include "io/picture.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// What libpng's functions get of this file.
struct Decoder {
  std::string_view rest;
  std::string message;
};

void take_bytes(png_structp png, png_bytep to, png_size_t count) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder.rest.size()) png_error(png, "it is truncated");
  std::memcpy(to, decoder.rest.data(), count);
  decoder.rest.remove_prefix(count);
}

[[noreturn]] void keep_error(png_structp png, png_const_charp message) {
  static_cast<Decoder*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void pass_over_warning(png_structp /*png*/, png_const_charp /*message*/) {}

// libpng leaves these two by longjmp when it fails: nothing in them may need a destructor.

/// `stored_bytes`: of a row as the file has it, deflated.
bool read_header(png_structp png, png_infop info, std::size_t& stored_bytes) {
  // NOLINTNEXTLINE(cert-err52-cpp): libpng's way of errors
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  stored_bytes = png_get_rowbytes(png, info);
  png_set_expand(png);                                        // palettes, fewer than 8 bits, transparent colors
  if (png_get_bit_depth(png, info) == 16) png_set_swap(png);  // this machine's byte order
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  // NOLINTNEXTLINE(cert-err52-cpp): libpng's way of errors
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

class PngReader {
 public:
  explicit PngReader(Decoder& decoder)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, &keep_error, &pass_over_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw Error("reading PNG: out of memory");
    }
    png_set_read_fn(png_, &decoder, &take_bytes);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  png_structp png_;
  png_infop info_;
};

}  // namespace

Array<float> decode_png(const Context& ctx, std::string_view bytes, const std::string& name) {
  Decoder decoder{bytes, {}};
  const PngReader reader(decoder);
  const auto fail = [&] { throw IoError(fmt::format("'{}' is not a valid PNG file: {}", name, decoder.message)); };
  std::size_t stored_bytes = 0;
  if (!read_header(reader.png(), reader.info(), stored_bytes)) fail();
  const auto width = static_cast<Index>(png_get_image_width(reader.png(), reader.info()));
  const auto height = static_cast<Index>(png_get_image_height(reader.png(), reader.info()));
  const auto channels = static_cast<Index>(png_get_channels(reader.png(), reader.info()));
  const bool wide = png_get_bit_depth(reader.png(), reader.info()) == 16;
  const std::size_t row_bytes = png_get_rowbytes(reader.png(), reader.info());
  if (stored_bytes > bytes.size() * deflate_expansion / static_cast<std::size_t>(height)) {
    throw IoError(
        fmt::format("'{}' claims {} x {} pixels, more than its {} bytes can hold", name, width, height, bytes.size()));
  }
  std::vector<png_byte> pixels(row_bytes * static_cast<std::size_t>(height));
  std::vector<png_bytep> rows(static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!read_rows(reader.png(), rows.data())) fail();

  Array<float> picture(ctx, channels == 1 ? Shape{height, width} : Shape{channels, height, width});
  for (Index y = 0; y < height; ++y) {
    const png_byte* row = rows[static_cast<std::size_t>(y)];
    for (Index x = 0; x < width * channels; ++x) {
      std::uint16_t value = row[wide ? 2 * x : x];
      if (wide) std::memcpy(&value, row + 2 * x, sizeof(value));
      picture.data()[(x % channels * height + y) * width + x / channels] = value;
    }
  }
  return picture;
}

}  // namespace whorl::io

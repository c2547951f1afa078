#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

// For a photograph: 6 times as fast as zlib's level 6 with all of PNG's filters, and 11 % larger.
constexpr int compression_level = 1;
constexpr int row_filters = PNG_FILTER_SUB | PNG_FILTER_UP;

/// What libpng's functions get of this file.
struct Encoder {
  AtomicFile* file = nullptr;
  std::string message;
};

// No exception may pass through libpng: write errors become its own.
void put_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  auto& encoder = *static_cast<Encoder*>(png_get_io_ptr(png));
  bool written = true;
  try {
    encoder.file->write(bytes, count);
  } catch (const Error& error) {
    encoder.message = error.what();
    written = false;
  }
  if (!written) png_longjmp(png, 1);
}

void flush_nothing(png_structp /*png*/) {}

[[noreturn]] void keep_write_error(png_structp png, png_const_charp message) {
  static_cast<Encoder*>(png_get_error_ptr(png))->message = fmt::format("writing PNG: {}", message);
  png_longjmp(png, 1);
}

void pass_over_write_warning(png_structp /*png*/, png_const_charp /*message*/) {}

int color_type(Channels channels) {
  const int color = channels == Channels::rgb || channels == Channels::rgba ? PNG_COLOR_MASK_COLOR : 0;
  return color | (has_alpha(channels) ? PNG_COLOR_MASK_ALPHA : 0);
}

// libpng leaves these by longjmp when it fails: nothing in them may need a destructor.
// NOLINTBEGIN(cert-err52-cpp): libpng's way of errors

bool write_header(png_structp png, png_infop info, const ImageFormat& format) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  constexpr int byte_bits = 8;
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, static_cast<png_uint_32>(format.width), static_cast<png_uint_32>(format.height),
               byte_bits * static_cast<int>(bytes_of(format.type)), color_type(format.channels), PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, compression_level);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, row_filters);
  png_write_info(png, info);
  if (format.type == PixelType::uint16 && std::endian::native == std::endian::little) png_set_swap(png);
  return true;
}

bool write_one(png_structp png, png_const_bytep row) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_write_row(png, row);
  return true;
}

bool write_end(png_structp png) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_write_end(png, nullptr);
  return true;
}

// NOLINTEND(cert-err52-cpp)

class PngSink : public RowSink {
 public:
  PngSink(const std::filesystem::path& path, const ImageFormat& format)
      : RowSink(path),
        encoder_{&file(), {}},
        png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder_, &keep_write_error, &pass_over_write_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, &info_);
      throw Error("writing PNG: out of memory");
    }
    png_set_write_fn(png_, &encoder_, &put_bytes, &flush_nothing);
    if (!write_header(png_, info_, format)) {
      png_destroy_write_struct(&png_, &info_);
      throw IoError(encoder_.message);
    }
  }
  ~PngSink() override { png_destroy_write_struct(&png_, &info_); }

  void write_row(const std::byte* row) override {
    if (!write_one(png_, reinterpret_cast<png_const_bytep>(row))) throw IoError(encoder_.message);
  }

 private:
  void finish() override {
    if (!write_end(png_)) throw IoError(encoder_.message);
  }

  Encoder encoder_;
  png_structp png_;
  png_infop info_;
};

}  // namespace

Sink create_png(const std::filesystem::path& path, const ImageFormat& format) {
  return std::make_unique<PngSink>(path, format);
}

}  // namespace whorl::io

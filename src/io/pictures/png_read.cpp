#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <memory>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/pictures/palette.hpp"
#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// What libpng's functions get of this file.
struct Decoder {
  PictureFile* file = nullptr;
  std::string message;
};

// No exception may pass through libpng: read errors become its own.
void take_bytes(png_structp png, png_bytep to, png_size_t count) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  std::size_t got = 0;
  try {
    got = decoder.file->read_up_to(to, count);
  } catch (const Error&) {
    got = 0;
  }
  if (got != count) png_error(png, "it is truncated");
}

[[noreturn]] void keep_error(png_structp png, png_const_charp message) {
  static_cast<Decoder*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void pass_over_warning(png_structp /*png*/, png_const_charp /*message*/) {}

// libpng leaves these by longjmp when it fails: nothing in them may need a destructor.
// NOLINTBEGIN(cert-err52-cpp): libpng's way of errors

bool read_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // what a header claims is checked against the file
  png_read_info(png, info);
  return true;
}

bool begin_rows(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE) {
    png_set_packing(png);  // one index a byte
  } else {
    png_set_expand(png);  // fewer than 8 bits, transparent colors
    if (png_get_bit_depth(png, info) == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool next_row(png_structp png, png_bytep row) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_row(png, row, nullptr);
  return true;
}

bool all_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  return true;
}

bool read_end(png_structp png) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_end(png, nullptr);
  return true;
}

// NOLINTEND(cert-err52-cpp)

class PngStruct {
 public:
  explicit PngStruct(Decoder& decoder)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, &keep_error, &pass_over_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw Error("reading PNG: out of memory");
    }
    png_set_read_fn(png_, &decoder, &take_bytes);
  }
  ~PngStruct() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngStruct(const PngStruct&) = delete;
  PngStruct& operator=(const PngStruct&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  png_structp png_;
  png_infop info_;
};

Palette palette_of(png_structp png, png_infop info, const std::string& name) {
  png_colorp colors = nullptr;
  png_bytep opacities = nullptr;
  int count = 0;
  int opacity_count = 0;
  png_get_PLTE(png, info, &colors, &count);
  png_get_tRNS(png, info, &opacities, &opacity_count, nullptr);
  constexpr std::uint8_t opaque = 255;
  std::vector<Palette::Color> list;
  for (int i = 0; i < count; ++i) {
    list.push_back({colors[i].red, colors[i].green, colors[i].blue, i < opacity_count ? opacities[i] : opaque});
  }
  return {std::move(list), name};
}

class PngSource : public RowSource {
 public:
  explicit PngSource(PictureFile file) : file_(std::move(file)) { begin(); }

  const ImageFormat& format() const override { return format_; }
  std::string_view file_format() const override { return "PNG"; }
  void rewind() override { begin(); }
  void read_row(std::byte* to) override;

 private:
  void begin();
  void read_interlaced();
  [[noreturn]] void fail() const {
    throw IoError(fmt::format("'{}' is not a valid PNG file: {}", file_.name(), decoder_.message));
  }
  std::size_t row_bytes() const { return png_get_rowbytes(png_->png(), png_->info()); }

  PictureFile file_;
  Decoder decoder_;
  std::unique_ptr<PngStruct> png_;
  ImageFormat format_;
  bool has_palette_ = false;
  Palette palette_;
  bool interlaced_ = false;
  Index row_ = 0;
  std::vector<std::uint8_t> indices_;  // of a row
  std::vector<std::uint8_t> whole_;    // of an interlaced picture
};

void PngSource::begin() {
  file_.seek(0);
  decoder_ = {&file_, {}};
  row_ = 0;
  whole_.clear();
  png_ = std::make_unique<PngStruct>(decoder_);
  png_structp png = png_->png();
  png_infop info = png_->info();
  if (!read_header(png, info)) fail();
  format_.width = static_cast<Index>(png_get_image_width(png, info));
  format_.height = static_cast<Index>(png_get_image_height(png, info));
  check_claim(file_, format_.width, format_.height, png_get_rowbytes(png, info), deflate_expansion);
  interlaced_ = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  has_palette_ = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  if (has_palette_) {
    palette_ = palette_of(png, info, file_.name());
    indices_.resize(static_cast<std::size_t>(format_.width));
  }
  if (!begin_rows(png, info)) fail();
  constexpr std::array<Channels, 4> by_count{Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba};
  format_.channels = has_palette_ ? palette_.channels() : by_count[png_get_channels(png, info) - 1U];
  format_.type = png_get_bit_depth(png, info) == 16 ? PixelType::uint16 : PixelType::uint8;
}

void PngSource::read_interlaced() {
  std::vector<png_bytep> rows(static_cast<std::size_t>(format_.height));
  whole_.resize(row_bytes() * rows.size());
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = whole_.data() + y * row_bytes();
  if (!all_rows(png_->png(), rows.data())) fail();
}

void PngSource::read_row(std::byte* to) {
  if (interlaced_ && row_ == 0) read_interlaced();
  const std::uint8_t* stored = whole_.data() + (interlaced_ ? static_cast<std::size_t>(row_) * row_bytes() : 0);
  if (!interlaced_) {
    png_bytep row = has_palette_ ? indices_.data() : reinterpret_cast<png_bytep>(to);
    if (!next_row(png_->png(), row)) fail();
    stored = row;
  }
  if (has_palette_) {
    palette_.expand({stored, static_cast<std::size_t>(format_.width)}, to, row_);
  } else if (interlaced_) {
    std::copy_n(stored, row_bytes(), reinterpret_cast<std::uint8_t*>(to));
  }
  // What follows the pixels tells whether the file is whole.
  if (++row_ == format_.height && !read_end(png_->png())) fail();
}

}  // namespace

Source open_png(PictureFile file) { return std::make_unique<PngSource>(std::move(file)); }

}  // namespace whorl::io

#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <string>

// clang-format off: libjpeg's headers need FILE, and one another, from before
#include <jerror.h>
#include <jpeglib.h>
// clang-format on

#include "io/bytes/printable.hpp"
#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16U;

/// libjpeg's decoder, followed by what this file's callbacks need.
struct JpegDecoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  PictureFile* file = nullptr;
  std::array<JOCTET, buffer_bytes> buffer{};
  std::string message;

  JpegDecoder() = default;
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  static JpegDecoder& of(j_common_ptr jpeg) { return *static_cast<JpegDecoder*>(jpeg->client_data); }
  static JpegDecoder& of(j_decompress_ptr jpeg) { return *static_cast<JpegDecoder*>(jpeg->client_data); }
};

[[noreturn]] void leave(JpegDecoder& decoder, const char* message) {
  decoder.message = message;
  std::longjmp(decoder.jump, 1);
}

[[noreturn]] void keep_jpeg_error(j_common_ptr jpeg) {
  std::array<char, JMSG_LENGTH_MAX> text{};
  jpeg->err->format_message(jpeg, text.data());
  leave(JpegDecoder::of(jpeg), text.data());
}

/// Warnings after which libjpeg would invent pixels are errors; the others are ignored.
void judge_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  const int code = jpeg->err->msg_code;
  if (code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_JPEG_EOF || code == JWRN_MUST_RESYNC ||
      code == JWRN_NOT_SEQUENTIAL) {
    keep_jpeg_error(jpeg);
  }
}

void print_nothing(j_common_ptr /*jpeg*/) {}

void begin_source(j_decompress_ptr /*jpeg*/) {}

// No exception may pass through libjpeg: read errors become its own.
boolean fill_buffer(j_decompress_ptr jpeg) {
  JpegDecoder& decoder = JpegDecoder::of(jpeg);
  std::size_t got = 0;
  try {
    got = decoder.file->read_up_to(decoder.buffer.data(), decoder.buffer.size());
  } catch (const Error&) {
    got = 0;
  }
  if (got == 0) leave(decoder, "it is truncated");
  decoder.source.next_input_byte = decoder.buffer.data();
  decoder.source.bytes_in_buffer = got;
  return TRUE;
}

void skip_bytes(j_decompress_ptr jpeg, long count) {
  JpegDecoder& decoder = JpegDecoder::of(jpeg);
  if (count <= 0) return;
  const auto bytes = static_cast<std::size_t>(count);
  if (bytes <= decoder.source.bytes_in_buffer) {
    decoder.source.next_input_byte += bytes;
    decoder.source.bytes_in_buffer -= bytes;
  } else {
    decoder.file->seek(decoder.file->position() + bytes - decoder.source.bytes_in_buffer);
    decoder.source.bytes_in_buffer = 0;
  }
}

void end_source(j_decompress_ptr /*jpeg*/) {}

/// Limits the scans of a progressive picture: each takes time for the whole picture, but may be a few bytes.
void limit_scans(j_common_ptr jpeg) {
  constexpr int most_scans = 500;
  JpegDecoder& decoder = JpegDecoder::of(jpeg);
  if (decoder.jpeg.input_scan_number > most_scans) leave(decoder, "it has more than 500 scans");
}

// libjpeg leaves these by longjmp when it fails: nothing in them may need a destructor.
// NOLINTBEGIN(cert-err52-cpp): libjpeg's way of errors

bool read_header(JpegDecoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_create_decompress(&decoder.jpeg);
  decoder.jpeg.src = &decoder.source;
  decoder.jpeg.progress = &decoder.progress;
  jpeg_read_header(&decoder.jpeg, TRUE);
  return true;
}

bool begin_rows(JpegDecoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_start_decompress(&decoder.jpeg);
  return true;
}

bool next_row(JpegDecoder& decoder, JSAMPROW row) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_read_scanlines(&decoder.jpeg, &row, 1);
  return true;
}

bool read_end(JpegDecoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_finish_decompress(&decoder.jpeg);
  return true;
}

// NOLINTEND(cert-err52-cpp)

class JpegSource : public RowSource {
 public:
  explicit JpegSource(PictureFile file) : file_(std::move(file)), decoder_(std::make_unique<JpegDecoder>()) {
    decoder_->jpeg.err = jpeg_std_error(&decoder_->errors);
    decoder_->errors.error_exit = &keep_jpeg_error;
    decoder_->errors.emit_message = &judge_message;
    decoder_->errors.output_message = &print_nothing;
    decoder_->progress.progress_monitor = &limit_scans;
    decoder_->source = {nullptr, 0, &begin_source, &fill_buffer, &skip_bytes, &jpeg_resync_to_restart, &end_source};
    decoder_->jpeg.client_data = decoder_.get();
    decoder_->file = &file_;
    begin();
  }

  const ImageFormat& format() const override { return format_; }
  std::string_view file_format() const override { return "JPEG"; }
  void rewind() override {
    jpeg_destroy_decompress(&decoder_->jpeg);
    begin();
  }
  void read_row(std::byte* to) override {
    if (!next_row(*decoder_, reinterpret_cast<JSAMPROW>(to))) fail();
    if (++row_ == format_.height && !read_end(*decoder_)) fail();
  }

 private:
  void begin();
  [[noreturn]] void fail() const {
    throw IoError(
        fmt::format("'{}' is not a valid JPEG file: {}", file_.name(), printable(decoder_->message, JMSG_LENGTH_MAX)));
  }

  PictureFile file_;
  std::unique_ptr<JpegDecoder> decoder_;  // libjpeg keeps its address
  ImageFormat format_;
  Index row_ = 0;
};

void JpegSource::begin() {
  jpeg_decompress_struct& jpeg = decoder_->jpeg;
  file_.seek(0);
  row_ = 0;
  decoder_->source.bytes_in_buffer = 0;
  if (!read_header(*decoder_)) fail();
  format_.width = static_cast<Index>(jpeg.image_width);
  format_.height = static_cast<Index>(jpeg.image_height);
  const bool gray = jpeg.jpeg_color_space == JCS_GRAYSCALE;
  if (!gray && jpeg.jpeg_color_space != JCS_YCbCr && jpeg.jpeg_color_space != JCS_RGB) {
    throw Unsupported(
        fmt::format("'{}': a JPEG file of {} numbers a pixel that are not gray, YCbCr or RGB (CMYK?); convert it first",
                    file_.name(), jpeg.num_components));
  }
  if (jpeg.arith_code != FALSE) {
    throw Unsupported(fmt::format("'{}': a JPEG file of arithmetic coding; convert it first", file_.name()));
  }
  // Each block of 8 x 8 numbers takes at least one bit of its first scan: a Huffman code.
  std::uintmax_t blocks = 0;
  for (int i = 0; i < jpeg.num_components; ++i) {
    blocks += std::uintmax_t{jpeg.comp_info[i].width_in_blocks} * jpeg.comp_info[i].height_in_blocks;
  }
  constexpr std::uintmax_t byte_bits = 8;
  if (blocks > byte_bits * file_.size()) refuse_claim(file_, format_.width, format_.height);
  format_.channels = gray ? Channels::gray : Channels::rgb;
  jpeg.out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
  if (!begin_rows(*decoder_)) fail();
}

}  // namespace

Source open_jpeg(PictureFile file) { return std::make_unique<JpegSource>(std::move(file)); }

}  // namespace whorl::io

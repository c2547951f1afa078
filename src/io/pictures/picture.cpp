#include "whorl/io/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr const char* reading = "reading a picture";
constexpr const char* writing = "writing a picture";

std::size_t row_bytes(const ImageFormat& format) {
  return static_cast<std::size_t>(format.row()) * bytes_of(format.type);
}

/// Number of rows in the bytes.
Index count_rows(const char* operation, const ImageFormat& picture, Index next_row, std::size_t bytes) {
  const std::size_t row = row_bytes(picture);
  const Index left = picture.height - next_row;
  if (bytes % row != 0 || bytes / row > static_cast<std::size_t>(left)) {
    throw ValueError(
        fmt::format("{}: {} bytes for rows of {} bytes of which {} are left", operation, bytes, row, left));
  }
  return static_cast<Index>(bytes / row);
}

/// The bytes of rows [first, first + count) of a band of the picture.
template <class Band>
auto bytes_of_rows(const char* operation, const ImageFormat& picture, Band& band, Index first, Index count) {
  const ImageFormat& format = band.format();
  if (format.type != picture.type || format.channels != picture.channels || format.width != picture.width ||
      first < 0 || count < 0 || first > format.height - count || format.slices() != 1) {
    throw ShapeError(fmt::format("{} of {}: rows {} to {} of an image of {} do not fit", operation, to_string(picture),
                                 first, first + count, to_string(format)));
  }
  return with_pixel_type(format.type, [&](auto number) {
    auto pixels = band.template pixels<decltype(number)>().span().subspan(
        static_cast<std::size_t>(first * format.row()), static_cast<std::size_t>(count * format.row()));
    if constexpr (std::is_const_v<Band>) {
      return std::as_bytes(pixels);
    } else {
      return std::as_writable_bytes(pixels);
    }
  });
}

}  // namespace

PictureReader::PictureReader(const std::filesystem::path& path)
    : source_(io::open_picture(path, io::PnmValues::scaled)) {}
PictureReader::~PictureReader() = default;
PictureReader::PictureReader(PictureReader&& other) noexcept = default;
PictureReader& PictureReader::operator=(PictureReader&& other) noexcept = default;

const ImageFormat& PictureReader::format() const { return source_->format(); }
std::string_view PictureReader::file_format() const { return source_->file_format(); }

void PictureReader::read_rows(const Context& ctx, std::span<std::byte> rows) {
  const Index count = count_rows(reading, format(), next_row_, rows.size());
  for (Index i = 0; i < count; ++i) {
    ctx.check_cancel(reading);
    source_->read_row(rows.data() + static_cast<std::size_t>(i) * row_bytes(format()));
    ++next_row_;
  }
}

void PictureReader::read_rows(const Context& ctx, Image& band, Index first, Index count) {
  read_rows(ctx, bytes_of_rows(reading, format(), band, first, count));
}

void PictureReader::rewind() {
  source_->rewind();
  next_row_ = 0;
}

PictureWriter::PictureWriter(const std::filesystem::path& path, const ImageFormat& format)
    : sink_(io::create_picture(path, format)), format_(format) {}
PictureWriter::~PictureWriter() = default;
PictureWriter::PictureWriter(PictureWriter&& other) noexcept = default;
PictureWriter& PictureWriter::operator=(PictureWriter&& other) noexcept = default;

void PictureWriter::write_rows(const Context& ctx, std::span<const std::byte> rows) {
  const Index count = count_rows(writing, format_, next_row_, rows.size());
  for (Index i = 0; i < count; ++i) {
    ctx.check_cancel(writing);
    sink_->write_row(rows.data() + static_cast<std::size_t>(i) * row_bytes(format_));
    ++next_row_;
  }
}

void PictureWriter::write_rows(const Context& ctx, const Image& band, Index first, Index count) {
  write_rows(ctx, bytes_of_rows(writing, format_, band, first, count));
}

void PictureWriter::commit() {
  if (next_row_ != format_.height) {
    throw ValueError(fmt::format("{}: {} of {} rows were given", writing, next_row_, format_.height));
  }
  sink_->commit();
}

Image read_picture(const Context& ctx, const std::filesystem::path& path) {
  PictureReader reader(path);
  Image picture(ctx.host(), reader.format());
  reader.read_rows(ctx, picture, 0, picture.format().height);
  return ctx.device() == picture.device() ? std::move(picture) : clone(ctx, picture);
}

void write_picture(const Context& ctx, const std::filesystem::path& path, const Image& image) {
  PictureWriter writer(path, image.format());
  if (image.device().kind == DeviceKind::cpu) {
    writer.write_rows(ctx, image, 0, image.format().height);
  } else {
    writer.write_rows(ctx, to_host(ctx, image), 0, image.format().height);
  }
  writer.commit();
}

}  // namespace whorl

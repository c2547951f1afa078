// The interface of picture formats: rows from a file, rows to a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "io/pictures/file.hpp"
#include "whorl/core/image.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

/// Rows of a picture file, from the top.
class RowSource {
 public:
  RowSource() = default;
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  virtual const ImageFormat& format() const = 0;
  virtual std::string_view file_format() const = 0;
  /// The next row, format().row() numbers. Never called past the last.
  virtual void read_row(std::byte* to) = 0;
  virtual void rewind() = 0;
};

/// Rows into a picture file, from the top.
class RowSink {
 public:
  explicit RowSink(const std::filesystem::path& path) : file_(path) {}
  virtual ~RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;

  virtual void write_row(const std::byte* row) = 0;
  void commit() {
    finish();
    file_.commit();
  }

 protected:
  AtomicFile& file() { return file_; }

 private:
  /// Writes what follows the last row.
  virtual void finish() {}

  AtomicFile file_;
};

/// Whether values of a PNM file are scaled to the type's range.
enum class PnmValues { scaled, as_stored };

using Source = std::unique_ptr<RowSource>;
Source open_bmp(PictureFile file);
Source open_jpeg(PictureFile file);
Source open_png(PictureFile file);
Source open_pnm(PictureFile file, PnmValues values);
Source open_tiff(PictureFile file);
/// By the content.
Source open_picture(const std::filesystem::path& path, PnmValues values);

using Sink = std::unique_ptr<RowSink>;
Sink create_bmp(const std::filesystem::path& path, const ImageFormat& format);
Sink create_png(const std::filesystem::path& path, const ImageFormat& format);
Sink create_pnm(const std::filesystem::path& path, const ImageFormat& format);
Sink create_tiff(const std::filesystem::path& path, const ImageFormat& format);
/// By the extension, checked.
Sink create_picture(const std::filesystem::path& path, const ImageFormat& format);

/// Throws IoError if a header claims more pixels than its file can hold: `height` rows of `row_bytes` bytes, where a
/// byte of the file expands to at most `expansion` bytes. Also throws for a width or height below 1.
void check_claim(const PictureFile& file, Index width, Index height, std::uintmax_t row_bytes,
                 std::uintmax_t expansion = 1);
[[noreturn]] void refuse_claim(const PictureFile& file, Index width, Index height);

}  // namespace whorl::io

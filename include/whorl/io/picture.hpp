// Picture files as images, whole or some rows at a time: BMP, JPEG, PNG, PNM and TIFF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "whorl/core/image.hpp"

namespace whorl {

namespace io {
class RowSource;
class RowSink;
}  // namespace io

/// A picture file that is read from the top row down. What format it is its content says:
///
///   BMP   1, 4, 8, 16, 24 and 32 bits, run lengths, bit fields, alpha, either direction; of Windows and of OS/2
///   JPEG  baseline and progressive, gray and color (not CMYK, not with arithmetic coding)
///   PNG   all kinds
///   PNM   PBM, PGM and PPM, binary and as text, and PAM; its first picture
///   TIFF  8 and 16 bits, gray, RGB, palette, alpha; strips and tiles, both planar configurations; not compressed, or
///   by
///         LZW, Deflate or PackBits; its first picture
///
/// Pixels   uint8 or uint16 in this machine's byte order. Fewer than 8 bits, and a largest value (PNM) other than 255
/// or
///          65535, are scaled to the type's whole range, rounded to nearest. Palettes become colors, or gray where all
///          of theirs are gray. Orientation tags (EXIF, TIFF), color profiles and gamma are not applied; alpha stays as
///          stored.
/// Memory   Some rows; of TIFF a row of tiles, or the bytes of a compressed strip; of an interlaced PNG and a
/// progressive
///          JPEG the whole picture. What a header claims is checked against what the file's bytes can hold before
///          memory is taken for it.
/// Throws   IoError (missing, damaged, truncated, of no format that whorl reads), Unsupported (a kind of picture that
/// is
///          not read, or a format that this build lacks), each naming the file
class PictureReader {
 public:
  explicit PictureReader(const std::filesystem::path& path);
  ~PictureReader();
  PictureReader(PictureReader&& other) noexcept;
  PictureReader& operator=(PictureReader&& other) noexcept;

  /// Known from the header.
  const ImageFormat& format() const;
  /// "BMP", "JPEG", "PNG", "PNM" or "TIFF".
  std::string_view file_format() const;
  /// The row that comes next, 0 to format().height.
  Index next_row() const { return next_row_; }

  /// The next rows, without gaps, as many as fit: `rows` is on the host, aligned for its numbers, and its size is a
  /// multiple of a row's bytes. Throws ValueError where there are not so many left, Cancelled.
  void read_rows(const Context& ctx, std::span<std::byte> rows);
  /// The next `count` rows into those from `first` on of an image on the host with as many columns and the same pixels.
  /// Throws as the other, ShapeError.
  void read_rows(const Context& ctx, Image& band, Index first, Index count);

  /// The first row comes next again.
  void rewind();

 private:
  std::unique_ptr<io::RowSource> source_;
  Index next_row_ = 0;
};

/// A picture file that is written from the top row down, in the format of the path's extension:
///
///   .bmp         gray (8 bits and a palette), RGB, RGBA (32 bits and masks); uint8 only, less than 4 GiB
///   .png         all of uint8 and uint16
///   .pgm .ppm    gray, RGB; .pnm is either, .pam all with alpha too; uint8 and uint16, binary
///   .tif .tiff   all of uint8 and uint16; not compressed; BigTIFF where 4 GiB do not hold it
///
/// The file appears under its name by commit(), complete, or not at all. Some rows are held in memory.
///
/// Throws  ValueError (an extension that is not known, pixels that the format does not hold: it says what does),
///         Unsupported (a format that this build lacks), IoError
class PictureWriter {
 public:
  PictureWriter(const std::filesystem::path& path, const ImageFormat& format);
  ~PictureWriter();
  PictureWriter(PictureWriter&& other) noexcept;
  PictureWriter& operator=(PictureWriter&& other) noexcept;

  /// The next rows, as PictureReader gives them. Throws ValueError where the picture has fewer, IoError,
  /// Cancelled.
  void write_rows(const Context& ctx, std::span<const std::byte> rows);
  /// Rows [first, first + count) of an image on the host. Throws as the other, ShapeError.
  void write_rows(const Context& ctx, const Image& band, Index first, Index count);

  /// Gives the file its name. Throws ValueError where rows are missing, IoError.
  void commit();

 private:
  std::unique_ptr<io::RowSink> sink_;
  ImageFormat format_;
  Index next_row_ = 0;
};

/// A whole picture on the context's device. Throws as PictureReader, Cancelled.
Image read_picture(const Context& ctx, const std::filesystem::path& path);

/// A whole picture, of an image on the context's device. Throws as PictureWriter, Cancelled.
void write_picture(const Context& ctx, const std::filesystem::path& path, const Image& image);

/// Whether a file begins like a picture of a format that PictureReader knows. Throws IoError where it can not be read.
bool is_picture_file(const std::filesystem::path& path);

/// Whether the extension names a format in which pictures are written.
bool names_picture(const std::filesystem::path& path);

/// Throws ValueError or Unsupported, saying what to do, where such an image can not be written under that name.
void check_picture_path(const std::filesystem::path& path, const ImageFormat& format);

/// ".bmp, .pam, ...": in which pictures are written.
std::string_view picture_extensions();

}  // namespace whorl

// Picture files as images, whole or by rows: BMP, JPEG, PNG, PNM and TIFF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "whorl/core/image.hpp"

namespace WHORL_PUBLIC whorl {

namespace io {
class RowSource;
class RowSink;
}  // namespace io

/// Reads a picture file from the top row down. The format is recognized by its content:
///
///   BMP   1, 4, 8, 16, 24 and 32 bits, run lengths, bit fields, alpha, either direction; Windows and OS/2
///   JPEG  baseline and progressive, gray and color (not CMYK, not with arithmetic coding)
///   PNG   all kinds
///   PNM   PBM, PGM and PPM, binary and as text, and PAM; the first picture of a file
///   TIFF  8 and 16 bits, gray, RGB, palette, alpha; strips and tiles, both planar configurations; uncompressed, LZW,
///         Deflate or PackBits; the first picture of a file
///
/// Pixels  uint8 or uint16 in this machine's byte order. Values of fewer than 8 bits, or with a largest value (PNM)
///         other than 255 or 65535, are scaled to the type's full range and rounded. Palettes become RGB, or gray if
///         all their colors are gray. Orientation tags (EXIF, TIFF), color profiles and gamma are not applied; alpha
///         stays as stored.
/// Memory  several rows; for TIFF a row of tiles, or the bytes of a compressed strip; for an interlaced PNG and a
///         progressive JPEG the whole picture. Sizes in the header are checked against the size of the file before
///         memory is allocated.
/// Throws  IoError (missing, damaged, truncated or of an unknown format), Unsupported (a kind of picture that is not
///         read, or a format that this build lacks), each naming the file
/// Threads one thread at a time may use a reader; different threads may use different readers
class PictureReader {
 public:
  explicit PictureReader(const std::filesystem::path& path);
  ~PictureReader();
  PictureReader(PictureReader&& other) noexcept;
  PictureReader& operator=(PictureReader&& other) noexcept;

  /// The format of the pixels, from the header.
  const ImageFormat& format() const;
  /// "BMP", "JPEG", "PNG", "PNM" or "TIFF".
  std::string_view file_format() const;
  /// Index of the next row, 0 to format().height.
  Index next_row() const { return next_row_; }

  /// Reads the next rows, without gaps, until `rows` is full. `rows` is on the host, aligned for its values, and its
  /// size is a multiple of a row's bytes. Throws ValueError if fewer rows are left, Cancelled.
  void read_rows(const Context& ctx, std::span<std::byte> rows);
  /// Reads the next `count` rows into rows [first, first + count) of an image on the host, which has the same width,
  /// pixel type and channels. Throws as above, and ShapeError.
  void read_rows(const Context& ctx, Image& band, Index first, Index count);

  /// Starts again at the first row.
  void rewind();

 private:
  std::unique_ptr<io::RowSource> source_;
  Index next_row_ = 0;
};

/// Writes a picture file from the top row down, in the format of the path's extension:
///
///   .bmp         gray (8 bits and a palette), RGB, RGBA (32 bits and masks); uint8 only, less than 4 GiB
///   .png         all of uint8 and uint16
///   .pgm .ppm    gray, RGB; .pnm is either, .pam all, also with alpha; uint8 and uint16, binary
///   .tif .tiff   all of uint8 and uint16; uncompressed; BigTIFF above 4 GiB
///
/// The file appears under its name only at commit(). Only a few rows are in memory.
///
/// Throws  ValueError (an unknown extension, pixels that the format cannot hold: the message names one that can),
///         Unsupported (a format that this build lacks), IoError
/// Threads one thread at a time may use a writer; different threads may use different writers
class PictureWriter {
 public:
  PictureWriter(const std::filesystem::path& path, const ImageFormat& format);
  ~PictureWriter();
  PictureWriter(PictureWriter&& other) noexcept;
  PictureWriter& operator=(PictureWriter&& other) noexcept;

  /// Writes the next rows, in the layout of PictureReader. Throws ValueError if the picture has fewer rows, IoError,
  /// Cancelled.
  void write_rows(const Context& ctx, std::span<const std::byte> rows);
  /// Writes rows [first, first + count) of an image on the host. Throws as above, and ShapeError.
  void write_rows(const Context& ctx, const Image& band, Index first, Index count);

  /// Gives the file its name. Throws ValueError if rows are missing, IoError.
  void commit();

 private:
  std::unique_ptr<io::RowSink> sink_;
  ImageFormat format_;
  Index next_row_ = 0;
};

/// Reads a whole picture to the context's device. Throws as PictureReader, Cancelled.
Image read_picture(const Context& ctx, const std::filesystem::path& path);

/// Writes an image on the context's device as a picture. Throws as PictureWriter, Cancelled.
void write_picture(const Context& ctx, const std::filesystem::path& path, const Image& image);

/// True if a file begins like a picture that PictureReader reads. Throws IoError if the file cannot be read.
bool is_picture_file(const std::filesystem::path& path);

/// True if the extension names a format of PictureWriter.
bool names_picture(const std::filesystem::path& path);

/// Throws ValueError or Unsupported, saying what to do, if an image of this format cannot be written to this path.
void check_picture_path(const std::filesystem::path& path, const ImageFormat& format);

/// ".bmp, .pam, ...": the extensions for writing pictures.
std::string_view picture_extensions();

}  // namespace whorl

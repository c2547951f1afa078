// ByteSource: a stream of bytes from a file, a compressed file or a member of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace whorl::io {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The name for messages.
  virtual const std::string& name() const = 0;

  /// An upper bound of all bytes. Sizes in a header are checked against it before memory is allocated.
  virtual std::uintmax_t limit() const = 0;

  /// Reads `count` bytes. Throws IoError if fewer are left.
  void read(void* to, std::size_t count);

  /// Reads up to `count` bytes; fewer only at the end.
  std::size_t read_up_to(void* to, std::size_t count) { return read_some(to, count); }

  /// True if all bytes were read.
  bool at_end();

 private:
  virtual std::size_t read_some(void* to, std::size_t count) = 0;
};

/// Throws IoError for a folder, a pipe or a device: opening a pipe would wait for ever. A file that does not exist passes.
void check_regular(const std::filesystem::path& path);

/// The bytes of a file. Throws IoError where they can not be told, as for one that has gone.
std::uintmax_t size_of_file(const std::filesystem::path& path);

/// A file on the disk, decompressed if it is a gzip file. Throws IoError if it cannot be read.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  ~FileSource() override;

  const std::string& name() const override { return name_; }
  std::uintmax_t limit() const override { return limit_; }
  bool is_compressed() const { return compressed_; }

 private:
  std::size_t read_some(void* to, std::size_t count) override;

  std::string name_;
  std::uintmax_t limit_ = 0;
  bool compressed_ = false;
  void* file_ = nullptr;  // gzFile; zlib.h stays out of this header
};

/// A byte of deflate expands to at most 1032 bytes (zlib, "Maximum expansion factor").
inline constexpr std::uintmax_t deflate_expansion = 1032;

}  // namespace whorl::io

// AtomicFile: a file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace whorl {

/// Writes to a temporary file in the target's folder; commit() renames it to the target. Without commit() (after an
/// error or cancellation) the destructor removes the temporary file, and an older file with the target's name stays.
///
/// If the target is a symbolic link, the file that it points to is replaced.
///
/// Throws  IoError, naming the target and the cause: a folder that is missing or not writable, a target that is not a
///         regular file, a write-protected target, a full disk
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes to the temporary file.
  void write(const void* bytes, std::size_t count);
  /// Writes bytes at any position of the file; bytes that are never written are 0.
  void write_at(std::uintmax_t position, const void* bytes, std::size_t count);
  /// Size so far: the end of the last written byte.
  std::uintmax_t size() const { return end_; }

  /// Flushes the file to the disk and gives it its final name. Nothing may be written after it.
  void commit();

 private:
  [[noreturn]] void fail(const char* operation, int cause) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uintmax_t end_ = 0;
  bool committed_ = false;
};

/// A whole file at once, as AtomicFile. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace whorl

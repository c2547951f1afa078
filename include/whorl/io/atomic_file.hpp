// AtomicFile: a file that appears under its name complete, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace whorl {

/// Writes to a temporary file in the target's folder, which commit() renames to the target. Without commit() (an error,
/// a cancelled run) the destructor removes the temporary file, and an older file of the target's name stays as it was.
///
/// A target that is a symbolic link keeps being one: the file that it points to is replaced.
///
/// Throws  IoError naming the target and the cause: the folder is missing or may not be written, the target is a folder
///         or another thing that is not a regular file, the target is write-protected, the disk is full
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes to the temporary file.
  void write(const void* bytes, std::size_t count);
  /// Writes bytes at any place of it; what is passed over and not written is 0.
  void write_at(std::uintmax_t position, const void* bytes, std::size_t count);
  /// Bytes so far, up to the last one that was written.
  std::uintmax_t size() const { return end_; }

  /// Brings the bytes to the disk and gives the file its final name. Nothing may be written after it.
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

// PictureFile: a file that is read in pieces, at any position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whorl::io {

/// Throws IoError, naming the file, if it cannot be read.
class PictureFile {
 public:
  explicit PictureFile(const std::filesystem::path& path);
  ~PictureFile();
  PictureFile(PictureFile&& other) noexcept;
  PictureFile& operator=(PictureFile&&) = delete;

  /// The name for messages.
  const std::string& name() const { return name_; }
  std::uintmax_t size() const { return size_; }
  std::uintmax_t position() const { return position_; }

  /// The position of the next read; may be beyond the end.
  void seek(std::uintmax_t position) { position_ = position; }
  /// Fewer bytes only at the end.
  std::size_t read_up_to(void* to, std::size_t count);
  /// Throws IoError if the file ends before.
  void read(void* to, std::size_t count);
  /// The next byte; -1 at the end.
  int next();

 private:
  std::size_t read_at(std::uintmax_t position, void* to, std::size_t count) const;

  std::string name_;
  int descriptor_ = -1;
  std::uintmax_t size_ = 0;
  std::uintmax_t position_ = 0;
  std::vector<char> buffer_;
  std::uintmax_t buffer_start_ = 0;  // where the buffer's first byte lies in the file
};

}  // namespace whorl::io

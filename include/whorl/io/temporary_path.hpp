// TemporaryPath: a file that appears under its name when it is complete, and not before.
#pragma once

#include <filesystem>

namespace whorl {

/// A temporary name beside the file to be written, for libraries that need a path rather than a stream.
///
/// The constructor makes an empty file under a name of its own in the same folder, so that a folder that can not be
/// written is known at once; commit() brings the file to the disk and renames it, replacing what was there; the
/// destructor removes what was not committed. Throws IoError with the system's reason.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::filesystem::path target);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  /// Where to write.
  const std::filesystem::path& path() const { return temporary_; }

  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

}  // namespace whorl

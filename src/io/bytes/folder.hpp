// Folders that are held open while files are made in them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace whorl::io {

/// A folder: files in it are made, named and removed there, wherever it is moved meanwhile.
class Folder {
 public:
  /// One for all files in it at a time. None: it cannot be opened, and errno says why.
  static std::shared_ptr<Folder> open(const std::filesystem::path& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  int descriptor() const { return descriptor_; }
  /// Device and file number.
  std::pair<dev_t, ino_t> identity() const { return identity_; }

 private:
  friend class NamesLock;
  Folder(int descriptor, const std::pair<dev_t, ino_t>& identity)
      : descriptor_(descriptor), identity_(identity) {}  // NOLINT(modernize-pass-by-value): two numbers

  int descriptor_;
  std::pair<dev_t, ino_t> identity_;
  std::mutex mutex_;
};

/// While it exists, no other run of whorl gives files in these folders their names: what one run writes appears together. The
/// lock is the system's (flock) on the folder itself, so it ends with its process, and leaves no file. Where a file system has
/// no such locks, files are named without.
class NamesLock {
 public:
  /// Waits for some seconds. Throws IoError: another process holds a folder for longer, which is stopped most likely.
  explicit NamesLock(std::vector<std::shared_ptr<Folder>> folders);
  ~NamesLock();
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;

 private:
  void release();

  std::vector<std::shared_ptr<Folder>> folders_;
  std::size_t held_ = 0;  // of them, from the first
};

}  // namespace whorl::io

// AtomicFile: a file that appears under its name only when it is complete. AtomicFileGroup: several that appear together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

namespace io {
class Folder;
}

/// Writes to a temporary file in the target's folder; commit() renames it to the target. Without commit() (after an
/// error or cancellation) the destructor removes the temporary file, and an older file with the target's name stays.
///
/// If the target is a symbolic link, the file that it points to is replaced, and the link stays. A file that is replaced
/// hands down its permissions, and its owner and group as far as the system allows; a new file has those that the umask
/// leaves. Other hard links to a replaced file keep the old content. If the folder is moved meanwhile, the file goes with it.
///
/// Throws  IoError, naming the target and the cause: a folder that is missing or not writable, a target that is not a
///         regular file, a write-protected target, a full disk
/// Threads one at a time may use a file; commit() belongs to the group of the thread that calls it
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

  /// Flushes the file to the disk and gives it its final name; within an AtomicFileGroup the group does that. Nothing
  /// may be written after it.
  void commit();

 private:
  [[noreturn]] void fail(const char* operation, int cause) const;

  std::filesystem::path target_;
  std::shared_ptr<io::Folder> folder_;
  std::string temporary_;  // its name there
  int descriptor_ = -1;
  std::uintmax_t end_ = 0;
  bool committed_ = false;
};

/// Files that appear together or not at all. While a group exists, AtomicFile::commit in its thread writes a file to the
/// disk under its temporary name; commit() of the group gives all files their names. Without commit() the destructor
/// removes them. A group within a group hands its files to the outer one. If two processes write the same names, one
/// gives all files their names, then the other: no file of one stays beside a file of the other. A process that is killed
/// (SIGKILL) while it does so leaves what it has named.
///
/// Threads only the thread that made a group may use it; a thread has its own groups
class AtomicFileGroup {
 public:
  AtomicFileGroup();
  ~AtomicFileGroup();
  AtomicFileGroup(const AtomicFileGroup&) = delete;
  AtomicFileGroup& operator=(const AtomicFileGroup&) = delete;

  /// Throws IoError if a file cannot get its name. The files before it are then removed again, except those that have
  /// replaced an older file.
  void commit();

 private:
  friend class AtomicFile;

  struct Complete {
    std::shared_ptr<io::Folder> folder;
    std::string temporary;
    std::filesystem::path target;
    bool replaces = false;
  };

  AtomicFileGroup* outer_;
  std::vector<Complete> files_;
};

/// Removes every temporary file of this process that does not have its final name yet. For signal handlers that then end
/// the process: it makes only calls that POSIX allows there.
void remove_temporary_files() noexcept;

/// Writes a whole file at once, as AtomicFile does. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace whorl

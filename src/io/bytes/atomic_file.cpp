#include "whorl/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "io/bytes/folder.hpp"
#include "io/bytes/temporary_names.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;

// The file to replace: the end of a chain of symbolic links, which need not exist, else the path itself.
fs::path replaced_file(fs::path target) {
  constexpr int longest_chain = 40;  // Linux's own limit
  std::error_code error;
  for (int link = 0; link < longest_chain && fs::is_symlink(target, error); ++link) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  return target;
}

void check_target(const fs::path& target) {
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw IoError(fmt::format("cannot write '{}': the folder '{}' does not exist; create it first", target.string(),
                              folder.string()));
  }
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::not_found) return;
  if (status.type() == fs::file_type::directory || target.filename().empty()) {
    throw IoError(fmt::format("cannot write '{}': it is a folder; give a file name", target.string()));
  }
  if (status.type() != fs::file_type::regular) {
    throw IoError(fmt::format("cannot write '{}': it exists and is not a regular file", target.string()));
  }
  constexpr auto any_write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if ((status.permissions() & any_write) == fs::perms::none) {
    throw IoError(fmt::format("cannot write '{}': the file is write-protected; remove it first", target.string()));
  }
}

[[noreturn]] void fail_to_write(const fs::path& target, const char* operation, int cause) {
  throw IoError(
      fmt::format("cannot write '{}': {}: {}", target.string(), operation, std::generic_category().message(cause)));
}

// A file that replaces another is seen and owned by those who had the other. Not everybody may give a file away: without
// the right to do so it belongs to who runs the program, as a new file does.
void take_over_rights(int descriptor, const io::Folder& folder, const fs::path& target) {
  struct stat old {};
  if (::fstatat(folder.descriptor(), target.filename().c_str(), &old, 0) != 0) return;
  struct stat own {};
  const bool known = ::fstat(descriptor, &own) == 0;
  const bool other = known && (own.st_uid != old.st_uid || own.st_gid != old.st_gid);
  const bool same_group = !other || ::fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                          ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  constexpr mode_t of_a_group = S_IRWXG;
  const mode_t mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  // What a group was allowed is not for another one.
  static_cast<void>(::fchmod(descriptor, same_group ? mode : mode & ~of_a_group));
}

constexpr const char* renaming = "rename the temporary file";

void remove_temporary(const io::Folder& folder, const std::string& temporary) {
  ::unlinkat(folder.descriptor(), temporary.c_str(), 0);
  io::forget_temporary(folder.descriptor(), temporary);
}

// False leaves the reason in errno.
bool give_name(const io::Folder& folder, const std::string& temporary, const fs::path& target) {
  const int here = folder.descriptor();
  if (::renameat(here, temporary.c_str(), here, target.filename().c_str()) != 0) return false;
  io::forget_temporary(here, temporary);
  return true;
}

bool is_there(const io::Folder& folder, const fs::path& target) {
  struct stat facts {};
  return ::fstatat(folder.descriptor(), target.filename().c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

// The innermost group of this thread. Writers of files do not know that they are in one.
thread_local AtomicFileGroup* innermost_group = nullptr;

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(replaced_file(target)) {
  check_target(target_);
  folder_ = io::Folder::open(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
  if (folder_ == nullptr) fail("open its folder", errno);
  // The temporary name does not contain the target's, which may already be as long as the file system allows. An
  // existing file of that name is from a killed process with the same process id.
  static std::atomic<unsigned> next{0};
  constexpr int attempts = 1000;
  const int here = folder_->descriptor();
  for (int attempt = 0; attempt < attempts && descriptor_ < 0; ++attempt) {
    temporary_ = fmt::format(".whorl-{}-{}.tmp", ::getpid(), next++);
    io::note_temporary(here, temporary_);
    descriptor_ = ::openat(here, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) break;
    const int cause = errno;
    io::forget_temporary(here, temporary_);
    errno = cause;
    if (cause != EEXIST) break;
  }
  if (descriptor_ < 0) fail("create a temporary file beside it", errno);
  take_over_rights(descriptor_, *folder_, target_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) remove_temporary(*folder_, temporary_);
}

void AtomicFile::write(const void* bytes, std::size_t count) { write_at(end_, bytes, count); }

void AtomicFile::write_at(std::uintmax_t position, const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor_, next, count, static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    next += written;
    count -= static_cast<std::size_t>(written);
    position += static_cast<std::uintmax_t>(written);
    end_ = std::max(end_, position);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("bring to the disk", errno);
  const int closing = std::exchange(descriptor_, -1);
  if (::close(closing) != 0) fail("close", errno);
  AtomicFileGroup alone;  // hands the file to one that is there
  alone.files_.push_back({folder_, temporary_, target_});
  committed_ = true;
  alone.commit();
}

void AtomicFile::fail(const char* operation, int cause) const { fail_to_write(target_, operation, cause); }

AtomicFileGroup::AtomicFileGroup() : outer_(std::exchange(innermost_group, this)) {}

AtomicFileGroup::~AtomicFileGroup() {
  innermost_group = outer_;
  for (const Complete& file : files_) remove_temporary(*file.folder, file.temporary);
}

void AtomicFileGroup::commit() {
  if (outer_ != nullptr) {
    // Only the first line may fail: vector::insert would by then have moved away the files that the outer group has to remove.
    outer_->files_.reserve(outer_->files_.size() + files_.size());
    std::ranges::move(files_, std::back_inserter(outer_->files_));
    files_.clear();
    return;
  }
  std::vector<std::shared_ptr<io::Folder>> folders;
  for (const Complete& file : files_) folders.push_back(file.folder);
  const io::NamesLock lock(std::move(folders));
  for (Complete& file : files_) {
    file.replaces = is_there(*file.folder, file.target);
    if (give_name(*file.folder, file.temporary, file.target)) continue;
    const int cause = errno;
    for (const Complete* before = files_.data(); before != &file; ++before) {
      if (!before->replaces) ::unlinkat(before->folder->descriptor(), before->target.filename().c_str(), 0);
    }
    fail_to_write(file.target, renaming, cause);
  }
  files_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace whorl

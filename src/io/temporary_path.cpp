#include "whorl/io/temporary_path.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr int permissions = 0666;  // less the user's umask, as for any new file

[[noreturn]] void fail(const std::filesystem::path& target, const char* action) {
  const int error = errno;
  throw IoError(fmt::format("{}: can not {}: {}", target.string(), action, std::generic_category().message(error)));
}

void flush_to_disk(const std::filesystem::path& path, int flags, const std::filesystem::path& target) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) fail(target, "open it to bring it to the disk");
  // Some file systems have no fsync for folders (EINVAL): then there is nothing to wait for.
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;
  const int error = errno;
  ::close(file);
  errno = error;
  if (failed) fail(target, "bring it to the disk");
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

TemporaryPath::TemporaryPath(std::filesystem::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) throw IoError(fmt::format("\"{}\": can not write it: no file name", target_.string()));
  constexpr int most_attempts = 100;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    temporary_ = folder_of(target_) / fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), attempt);
    const int file = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions);
    if (file >= 0) {
      ::close(file);
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(target_, "make a file in that folder");
}

TemporaryPath::~TemporaryPath() {
  if (!committed_) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
}

void TemporaryPath::commit() {
  flush_to_disk(temporary_, O_RDONLY, target_);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "rename the finished file to it");
  committed_ = true;
  flush_to_disk(folder_of(target_), O_RDONLY | O_DIRECTORY, target_);
}

}  // namespace whorl

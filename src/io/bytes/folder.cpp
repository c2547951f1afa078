#include "io/bytes/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

struct OpenFolders {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<Folder>> all;
};

// Never destroyed: files may be open until the process ends.
OpenFolders& open_folders() {
  static auto& folders = *new OpenFolders;  // NOLINT(cppcoreguidelines-owning-memory)
  return folders;
}

// Giving names takes a fraction of a millisecond.
constexpr std::chrono::seconds longest_wait{10};
constexpr std::chrono::milliseconds between_tries{2};

// False: another process has it.
bool try_lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return true;  // this file system, or a folder that may not be read, has no locks
  }
  return true;
}

}  // namespace

std::shared_ptr<Folder> Folder::open(const std::filesystem::path& path) {
  constexpr int flags = O_DIRECTORY | O_CLOEXEC;
  int descriptor = ::open(path.c_str(), O_RDONLY | flags);
  if (descriptor < 0 && errno == EACCES) descriptor = ::open(path.c_str(), O_PATH | flags);
  if (descriptor < 0) return nullptr;
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) {
    const int cause = errno;
    ::close(descriptor);
    errno = cause;
    return nullptr;
  }
  const std::pair identity(facts.st_dev, facts.st_ino);
  OpenFolders& known = open_folders();
  const std::scoped_lock lock(known.mutex);
  std::erase_if(known.all, [](const auto& entry) { return entry.second.expired(); });
  if (std::shared_ptr<Folder> before = known.all[identity].lock()) {
    ::close(descriptor);
    return before;
  }
  const std::shared_ptr<Folder> folder(new Folder(descriptor, identity));
  known.all[identity] = folder;
  return folder;
}

Folder::~Folder() { ::close(descriptor_); }

NamesLock::NamesLock(std::vector<std::shared_ptr<Folder>> folders) : folders_(std::move(folders)) {
  // All take them in one order, or two could wait for each other.
  std::ranges::sort(folders_, {}, &Folder::identity);
  folders_.erase(std::unique(folders_.begin(), folders_.end()), folders_.end());
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (; held_ < folders_.size(); ++held_) {
    folders_[held_]->mutex_.lock();
    while (!try_lock(folders_[held_]->descriptor_)) {
      if (std::chrono::steady_clock::now() > end) {
        folders_[held_]->mutex_.unlock();
        release();
        throw IoError(
            "cannot give the results their names: another process of whorl has held the folder for 10 s, to name its "
            "own; "
            "end that process, or write to another folder");
      }
      std::this_thread::sleep_for(between_tries);
    }
  }
}

NamesLock::~NamesLock() { release(); }

void NamesLock::release() {
  for (; held_ > 0; --held_) {
    ::flock(folders_[held_ - 1]->descriptor_, LOCK_UN);
    folders_[held_ - 1]->mutex_.unlock();
  }
}

}  // namespace whorl::io

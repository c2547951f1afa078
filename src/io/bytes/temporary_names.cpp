#include "io/bytes/temporary_names.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <mutex>

#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

// Places are used again but never freed: a handler may come at any time, and takes no lock.
struct TemporaryName {
  std::atomic<bool> exists{false};
  std::array<char, PATH_MAX> path{};
  TemporaryName* next = nullptr;
};

std::atomic<TemporaryName*> all_names{nullptr};
static_assert(std::atomic<TemporaryName*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Of those who note and forget names.
std::mutex& names_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void io::note_temporary(const std::filesystem::path& path) {
  const std::string& name = path.native();
  if (name.size() >= PATH_MAX) return;  // no file can be made of it
  const std::scoped_lock lock(names_mutex());
  TemporaryName* place = all_names;
  while (place != nullptr && place->exists) place = place->next;
  if (place == nullptr) {
    place = new TemporaryName;
    place->next = all_names;
    all_names = place;
  }
  std::memcpy(place->path.data(), name.c_str(), name.size() + 1);
  place->exists = true;
}

void io::forget_temporary(const std::filesystem::path& path) {
  const std::scoped_lock lock(names_mutex());
  for (TemporaryName* place = all_names; place != nullptr; place = place->next) {
    if (place->exists && path.native() == place->path.data()) place->exists = false;
  }
}

void remove_temporary_files() noexcept {
  for (const TemporaryName* place = all_names; place != nullptr; place = place->next) {
    if (place->exists) ::unlink(place->path.data());
  }
}

}  // namespace whorl

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
  int folder = -1;
  std::array<char, NAME_MAX + 1> name{};
  pid_t process = 0;  // a child of it ends without them
  TemporaryName* next = nullptr;
};

std::atomic<TemporaryName*> all_names{nullptr};
static_assert(std::atomic<TemporaryName*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Lock of those who note and forget names.
std::mutex& names_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void io::note_temporary(int folder, const std::string& name) {
  if (name.size() > NAME_MAX) return;  // no file can be made of it
  const std::scoped_lock lock(names_mutex());
  TemporaryName* place = all_names;
  while (place != nullptr && place->exists) place = place->next;
  if (place == nullptr) {
    place = new TemporaryName;
    place->next = all_names;
    all_names = place;
  }
  std::memcpy(place->name.data(), name.c_str(), name.size() + 1);
  place->folder = folder;
  place->process = ::getpid();
  place->exists = true;
}

void io::forget_temporary(int folder, const std::string& name) {
  const std::scoped_lock lock(names_mutex());
  for (TemporaryName* place = all_names; place != nullptr; place = place->next) {
    if (place->exists && place->folder == folder && name == place->name.data()) place->exists = false;
  }
}

void remove_temporary_files() noexcept {
  const pid_t process = ::getpid();
  for (TemporaryName* place = all_names; place != nullptr; place = place->next) {
    if (place->exists && place->process == process) ::unlinkat(place->folder, place->name.data(), 0);
  }
}

}  // namespace whorl

#include "whorl/core/mapped_array.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;

// Magic numbers of file systems in memory (statfs(2)).
constexpr unsigned long tmpfs_magic = 0x01021994;
constexpr unsigned long ramfs_magic = 0x858458f6;

[[noreturn]] void refuse(const fs::path& folder, std::size_t bytes, const std::string& why) {
  throw Error(
      fmt::format("temporary file of {} bytes in '{}': {}; name a folder on a disk with that much space "
                  "(--temp-dir, or the variable TMPDIR)",
                  bytes, folder.string(), why));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// A file without a name; on file systems that have none, one whose name is removed at once.
int open_nameless(const fs::path& folder) {
  const int made = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return made;
  std::string name = (folder / "whorl-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

fs::path temporary_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? fs::path(variable) : fs::path("/var/tmp");
}

std::shared_ptr<std::byte> detail::map_temporary_file(const fs::path& folder, std::size_t bytes) {
  if (bytes == 0) return {};
  const Descriptor file(open_nameless(folder));
  if (file.get() < 0) refuse(folder, bytes, std::strerror(errno));
  struct statfs system = {};
  if (fstatfs(file.get(), &system) == 0) {
    const auto magic = static_cast<unsigned long>(system.f_type) & 0xffffffffUL;
    if (magic == tmpfs_magic || magic == ramfs_magic) refuse(folder, bytes, "the folder lies in memory itself");
  }
  const int failed = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (failed != 0) refuse(folder, bytes, std::strerror(failed));
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (place == MAP_FAILED) refuse(folder, bytes, std::strerror(errno));
  return {static_cast<std::byte*>(place), [bytes](std::byte* memory) { munmap(memory, bytes); }};
}

}  // namespace whorl

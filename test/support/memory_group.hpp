// A group of processes whose memory has a limit.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace whorl::test {

/// A cgroup of version 1 or 2 at the top of the hierarchy, removed at the end. Needs the rights of root.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t limit) {
    namespace fs = std::filesystem;
    const fs::path mounted = "/sys/fs/cgroup";
    std::error_code none;
    first_version_ = fs::exists(mounted / "memory/memory.limit_in_bytes", none);
    const fs::path group =
        mounted / (first_version_ ? "memory" : "") / ("whorl-test-" + std::to_string(static_cast<long>(::getpid())));
    if (!fs::create_directory(group, none)) return;
    path_ = group;
    std::ofstream(file("memory.limit_in_bytes", "memory.max")) << limit << std::flush;
    if (number_in("memory.limit_in_bytes", "memory.max") != limit) remove();
  }
  ~MemoryGroup() { remove(); }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  /// Empty where no group could be made, or none with a limit of memory.
  const std::filesystem::path& path() const { return path_; }
  /// The most bytes that its processes held at a time, pages of files included; none where the system does not say.
  std::optional<std::uint64_t> peak() const { return number_in("memory.max_usage_in_bytes", "memory.peak"); }

 private:
  std::filesystem::path file(const char* first, const char* second) const {
    return path_ / (first_version_ ? first : second);
  }
  std::optional<std::uint64_t> number_in(const char* first, const char* second) const {
    std::ifstream stream(file(first, second));
    std::uint64_t number = 0;
    if (!(stream >> number)) return std::nullopt;
    return number;
  }
  void remove() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
    path_.clear();
  }

  bool first_version_ = false;
  std::filesystem::path path_;
};

}  // namespace whorl::test

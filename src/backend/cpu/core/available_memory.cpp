#include "backend/cpu/core/available_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace whorl::backend::cpu {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max() / 4;

// Lines such as "MemAvailable: 123 kB".
std::size_t of_the_machine(const fs::path& root) {
  std::ifstream information(root / "proc/meminfo");
  std::size_t bytes = 0;
  bool known = false;
  std::string line;
  while (std::getline(information, line)) {
    std::istringstream words(line);
    std::string name;
    std::size_t kibibytes = 0;
    if (!(words >> name >> kibibytes)) continue;
    if (name == "MemAvailable:") known = true;
    if (name == "MemAvailable:" || name == "SwapFree:") bytes += kibibytes * 1024;
  }
  return known ? bytes : unlimited;
}

// The files of a group's memory, by the names of either version (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/
// memory.rst of Linux). Version 2's `high` is not exceeded for long: the processes are held up then.
struct Version {
  bool unified = false;
  std::vector<const char*> limits;
  const char* usage = nullptr;
  std::vector<const char*> file_pages;  // in memory.stat
};

const Version& version_1() {
  static const Version names{
      false, {"memory.limit_in_bytes"}, "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
  return names;
}

const Version& version_2() {
  static const Version names{true, {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}};
  return names;
}

// None: no such file, or "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

std::uint64_t file_pages(const fs::path& group, const Version& version) {
  std::ifstream stream(group / "memory.stat");
  std::uint64_t bytes = 0;
  std::string name;
  std::uint64_t number = 0;
  while (stream >> name >> number) {
    for (const char* const wanted : version.file_pages) bytes += name == wanted ? number : 0;
  }
  return bytes;
}

// What a group has left, without those above it.
std::size_t of_group(const fs::path& group, const Version& version) {
  std::optional<std::uint64_t> limit;
  for (const char* const name : version.limits) {
    const std::optional<std::uint64_t> here = number_in(group / name);
    if (here && (!limit || *here < *limit)) limit = here;
  }
  // Version 1 writes a number near 2^63 for none.
  if (!limit || *limit >= unlimited) return unlimited;
  const std::uint64_t used = number_in(group / version.usage).value_or(0);
  const std::uint64_t held = used - std::min(used, file_pages(group, version));
  return *limit - std::min<std::uint64_t>(*limit, held);
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

bool lists(const std::string& names, const std::string& name) {
  const std::vector<std::string> all = split(names, ',');
  return std::find(all.begin(), all.end(), name) != all.end();
}

// Where a hierarchy of groups is mounted, and which of its groups lies there: containers see a part of it.
struct Mount {
  fs::path place;
  std::string group;
};

// Lines such as "33 31 0:30 /group /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory" (proc(5)).
std::optional<Mount> mount_of(const fs::path& root, const Version& version) {
  std::ifstream mounts(root / "proc/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> front = split(line.substr(0, dash), ' ');
    const std::vector<std::string> back = split(line.substr(dash + 3), ' ');
    if (front.size() < 5 || back.size() < 3) continue;
    if (version.unified ? back[0] != "cgroup2" : back[0] != "cgroup" || !lists(back[2], "memory")) continue;
    return Mount{root / fs::path(front[4]).relative_path(), front[3]};
  }
  return std::nullopt;
}

// The process's group in the hierarchy, from lines such as "4:memory:/group" (version 2: "0::/group"). None: it is in none.
std::optional<std::string> group_of(const fs::path& root, const Version& version) {
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version.unified ? controllers.empty() : lists(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

std::size_t of_groups(const fs::path& root, const Version& version) {
  const std::optional<std::string> name = group_of(root, version);
  const std::optional<Mount> mount = name ? mount_of(root, version) : std::nullopt;
  if (!mount) return unlimited;
  // A group that lies outside of what is mounted has its limits in the mounted one, as far as can be seen.
  const fs::path below = fs::path(*name).lexically_relative(mount->group);
  const bool inside = !below.empty() && *below.begin() != "..";
  std::size_t left = of_group(mount->place, version);
  fs::path group = mount->place;
  if (inside) {
    for (const fs::path& part : below) left = std::min(left, of_group(group /= part, version));
  }
  return left;
}

}  // namespace

std::size_t available_memory(const fs::path& root) {
  return std::min({of_the_machine(root), of_groups(root, version_1()), of_groups(root, version_2())});
}

}  // namespace whorl::backend::cpu

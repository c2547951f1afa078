// The memory that is left on the host.
#pragma once

#include <cstddef>
#include <filesystem>

namespace whorl::backend::cpu {

/// Bytes that the system would give this process without killing it: what Linux calls available, with the free swap space,
/// or what the process's groups (cgroups v2 and v1; those above its own count too) have left of their limits, if that is
/// less. File pages of a group count as left: they are given up, or written to their files, before a process is killed. A
/// group's swap space does not count.
///
/// What cannot be read sets no limit. `root`: where proc lies, and the places where groups are mounted; / but in tests.
std::size_t available_memory(const std::filesystem::path& root = "/");

}  // namespace whorl::backend::cpu

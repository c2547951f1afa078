// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace whorl::cli {

/// "512 bytes", "1.5 MiB"
std::string format_bytes(std::uint64_t bytes);

}  // namespace whorl::cli

// Numbers of bytes as people write them.
#pragma once

#include <cstddef>
#include <string>

namespace whorl::cli {

/// The bytes of "8GB", "512 KiB", "1000": a whole number, and a unit of any case that is a power of 1024. Throws
/// ValueError for anything else, negative numbers, and more bytes than 2^63 - 1.
std::size_t byte_size(const std::string& text);

}  // namespace whorl::cli

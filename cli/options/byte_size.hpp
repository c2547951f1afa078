// Numbers of bytes as people write them.
#pragma once

#include <cstddef>
#include <string>

namespace whorl::cli {

/// The bytes, rounded down, of "8GB", "1.7 GiB", "1000": a number with or without decimals, and a unit of any case that is a
/// power of 1024. Throws ValueError for anything else, negative numbers, parts of a byte, and more bytes than 2^63 - 1.
std::size_t byte_size(const std::string& text);

}  // namespace whorl::cli

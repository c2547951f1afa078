// Quotes from files for messages: an error stays one line, whatever bytes the file holds.
#pragma once

#include <string>
#include <string_view>

#include "core/internal.hpp"

namespace whorl::io {

/// True if a text has no control characters (bytes below 0x20, and 0x7f), which would break a line of output or move
/// the cursor of a terminal.
bool is_printable(std::string_view text);

/// The first `most` bytes of a text, then "..." if it is longer, with control characters as \x0a.
WHORL_INTERNAL std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace whorl::io

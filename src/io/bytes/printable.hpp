// What messages quote from a file: an error is one line, whatever bytes the file holds.
#pragma once

#include <string>
#include <string_view>

namespace whorl::io {

/// Whether a text has no control characters (bytes below 0x20, and 0x7f): they would break a line of output, or move
/// the cursor of a terminal.
bool is_printable(std::string_view text);

/// The first `most` bytes of a text, "..." where it was longer, with control characters as \x0a.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace whorl::io

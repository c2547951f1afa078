// What the program says goes through here: names of files, and texts in them, may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace whorl::cli {

/// The text without what a terminal would obey. Control characters but for line ends and tabs, also the second set of
/// them (U+0080 to U+009F), are \u001b; bytes that are no UTF-8 are \x9b.
std::string escaped(std::string_view text);

/// Writes an escaped text to standard output, or standard error.
void print(std::string_view text);
void print_error(std::string_view text);

/// Whether standard output is a pipe that nobody reads any more.
bool reader_is_gone();

}  // namespace whorl::cli

// What is said of a mistake in the command line.
#pragma once

#include <string>
#include <vector>

#include "cli/app.hpp"

namespace whorl::cli {

/// One line: what is wrong, what was probably meant, the whole command to copy where it is known, and where the help is.
/// `words` are those of the command line, without the program's name.
std::string describe_mistake(const Program& program, const CLI::ParseError& error,
                             const std::vector<std::string>& words);

/// The message with the names of the command's options as they are typed: the library says "state trajectory-columns", the
/// program "state --trajectory-columns".
std::string with_typed_options(const Program& program, std::string message);

}  // namespace whorl::cli

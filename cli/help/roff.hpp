// Text for roff, which formats manual pages.
#pragma once

#include <string>
#include <string_view>

namespace whorl::cli {

/// The text as roff shows it letter by letter: no letter is a command, a minus can be copied into a shell.
std::string roff(std::string_view text);

/// What a command's help ends with, as sections: its examples, each with what it does, and the text around them as
/// `description`. An example is a line indented by two blanks after the line "Examples:"; two blanks or more, or a new
/// line indented further, set its explanation apart.
struct RoffFooter {
  std::string description;
  std::string examples;
};
RoffFooter roff_footer(const std::string& footer);

}  // namespace whorl::cli

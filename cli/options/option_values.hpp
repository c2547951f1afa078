// Which texts an option takes: asked of its validators, so that completion needs no list of its own.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace whorl::cli {

/// What a check says of a text where offered_values asks for these values; empty: it does not ask.
std::string answer_with(const std::vector<std::string>& values, const std::string& text);

/// The texts of the option's is_member() or offer(); none where it takes any text.
std::vector<std::string> offered_values(CLI::Option& option);

}  // namespace whorl::cli

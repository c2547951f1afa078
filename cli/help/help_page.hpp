// What --help prints.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace whorl::cli {

/// The most options that the help of a command shows unless more are asked for.
inline constexpr int most_common_options = 25;

struct HelpRequest {
  std::string words;  ///< "whorl recon"
  std::vector<std::string>
      common{};         ///< names of the options that most people need; empty: all, without the last groups
  std::string topic{};  ///< empty: those; "all"; a group, or a word in the names of options
  int width = 80;       ///< of the terminal, in characters
};

/// The help of a command. Throws ValueError if it has no options about the topic.
std::string help_page(const CLI::App& app, const HelpRequest& request);

}  // namespace whorl::cli

// Completion scripts for shells.
#pragma once

#include <string>

#include "cli/help/command_facts.hpp"

namespace whorl::cli {

/// A script for bash, to be read by it (source) or by bash-completion: commands, options, the values of options that
/// have a fixed set, file names for other texts.
std::string bash_completion(const CommandFacts& program);

/// A script for zsh, as a function to be found in its fpath, or to be read by it (source).
std::string zsh_completion(const CommandFacts& program);

/// A script for fish, to be read by it (source), or to be found in its folder of completions.
std::string fish_completion(const CommandFacts& program);

}  // namespace whorl::cli

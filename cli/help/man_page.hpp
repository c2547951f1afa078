// Manual pages, from the CLI::App that also makes the help.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace whorl::cli {

struct ManPage {
  std::string name;  ///< whorl-nufft-forward
  std::string text;  ///< for man(1): roff with the macros of the package man
};

/// A page for the program and for each command below it that the help shows, in the words of the help.
std::vector<ManPage> man_pages(CLI::App& program);

}  // namespace whorl::cli

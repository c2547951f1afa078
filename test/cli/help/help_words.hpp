// What the help of the program names: the oracle for what else is made of the same commands.
#pragma once

#include <string>
#include <vector>

namespace whorl::test {

struct HelpOfCommand {
  std::vector<std::string> words;     ///< "recon"; empty for the program itself
  std::vector<std::string> options;   ///< "--output", "-o"
  std::vector<std::string> commands;  ///< those right below
};

/// The program's help and that of every command below it, to any depth, as `whorl ... --help` prints it.
std::vector<HelpOfCommand> all_help();

}  // namespace whorl::test

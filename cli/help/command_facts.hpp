// What completion has to know of a command, read from the CLI::App that also makes the help.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace whorl::cli {

struct OptionFacts {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument the one name that the help gives it
  std::string description;
  std::string type;     ///< as the help says it: TEXT, INT
  int least_words = 0;  ///< 0: a flag
  int most_words = 0;
  std::vector<std::string> values;  ///< the words that it takes, where they are a fixed set
  bool takes_files = false;         ///< or folders
};

struct CommandFacts {
  std::vector<std::string> words;  ///< "whorl", "nufft", "forward"
  std::string summary;
  std::vector<OptionFacts> options;
  std::vector<OptionFacts> arguments;
  std::vector<CommandFacts> commands;

  std::string name(const std::string& separator) const;  ///< the words, joined
};

/// The command and all below it that the help shows; one whose group is "" is for the build alone.
CommandFacts describe_command(CLI::App& app);

/// The program that a command belongs to.
CLI::App& root_of(CLI::App& app);

/// The commands right below one, in the order of the help, without the hidden ones.
std::vector<CLI::App*> shown_commands(CLI::App& app);

}  // namespace whorl::cli

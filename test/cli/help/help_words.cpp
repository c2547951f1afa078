#include "help_words.hpp"

#include <sstream>
#include <stdexcept>

#include "support/run_process.hpp"

namespace whorl::test {

namespace {

// Options stand at two blanks, "  -o,--output TEXT"; so do commands, below the line "Commands:".
HelpOfCommand read_help(const std::vector<std::string>& words) {
  std::vector<std::string> command{WHORL_PROGRAM};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--help", "all"});
  const ProcessResult result = run_process(command);
  if (result.exit_code != 0) throw std::runtime_error("--help fails: " + result.err);
  HelpOfCommand help{words, {}, {}};
  bool in_commands = false;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != ' ') in_commands = line == "Commands:";
    if (line.size() < 3 || line.compare(0, 2, "  ") != 0 || line[2] == ' ') continue;
    const std::string first = line.substr(2, line.find(' ', 2) - 2);
    if (in_commands) help.commands.push_back(first);
    if (first.front() != '-') continue;
    std::istringstream names(first);
    for (std::string name; std::getline(names, name, ',');) help.options.push_back(name);
  }
  return help;
}

void add_help(const std::vector<std::string>& words, std::vector<HelpOfCommand>& all) {
  const HelpOfCommand help = read_help(words);
  all.push_back(help);
  for (const std::string& name : help.commands) {
    std::vector<std::string> below = words;
    below.push_back(name);
    add_help(below, all);
  }
}

}  // namespace

std::vector<HelpOfCommand> all_help() {
  std::vector<HelpOfCommand> all;
  add_help({}, all);
  return all;
}

}  // namespace whorl::test

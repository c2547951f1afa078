#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion.hpp"

namespace whorl::cli {

namespace {

// The commands come first, so the words before the cursor tell which command is completed.
constexpr const char* fish_walk = R"fish(# fish completion for whorl, made by: whorl completion fish

# Whether the words so far begin with a command.
function __whorl_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l depth (count $argv)
  test $depth -eq 0; and return 0
  test (count $words) -ge $depth; and test "$words[1..$depth]" = "$argv"
end

# Whether they are the command alone, so that the next word is a command below it.
function __whorl_next
  __whorl_at $argv; and test (count (commandline -opc)) -eq (math (count $argv) + 1)
end

complete -c whorl -f
)fish";

// In single quotes, which leave backslashes and quotes to be escaped.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "'";
}

// What completes the word of an option or argument.
std::string fish_words(const OptionFacts& option) {
  if (!option.values.empty())
    return fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(option.values, " "))));
  return option.takes_files ? " -F" : "";
}

void add_fish_command(const CommandFacts& command, std::string& text) {
  std::string words;  // without the program's name
  for (std::size_t i = 1; i < command.words.size(); ++i) words += " " + command.words[i];
  const auto line = [&](const char* condition) {
    return fmt::format("complete -c whorl -n {}", fish_quoted(condition + words));
  };
  const char* const here = command.commands.empty() ? "__whorl_at" : "__whorl_next";
  for (const CommandFacts& below : command.commands) {
    text += fmt::format("{} -a {} -d {}\n", line(here), below.words.back(), fish_quoted(below.summary));
  }
  for (const OptionFacts& option : command.options) {
    text += line(here);
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.least_words > 0) text += (option.takes_files ? " -r" : " -x") + fish_words(option);
    text += fmt::format(" -d {}\n", fish_quoted(option.description));
  }
  for (const OptionFacts& argument : command.arguments) {
    const std::string completes = fish_words(argument);
    if (!completes.empty()) text += line(here) + completes + "\n";
  }
  for (const CommandFacts& below : command.commands) add_fish_command(below, text);
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::string text = fish_walk;
  add_fish_command(program, text);
  return text;
}

}  // namespace whorl::cli

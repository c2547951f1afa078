#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/help/completion.hpp"

namespace whorl::cli {

namespace {

// Some of the words before the one to complete name a command, some belong to an option, and the rest are arguments.
// Bash takes --option=value and FILE:NAME apart at its word breaks.
constexpr const char* walk = R"bash(
_whorl() {
  local current=${COMP_WORDS[COMP_CWORD]} command=whorl option left=0 arguments=0
  local commands options count files values word index
  [[ $current != '=' ]] || current=
  _whorl_command "$command"
  for ((index = 1; index < COMP_CWORD; ++index)); do
    word=${COMP_WORDS[index]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ $word == ':' ]]; then
      index=$((index + 1))
    elif ((left > 0)); then
      left=$((left - 1))
    elif [[ $word == -?* ]]; then
      option=$word
      _whorl_takes "$command $option"
      left=$count
    elif [[ -n $word && " $commands " == *" $word "* ]]; then
      command+=" $word"
      arguments=0
      _whorl_command "$command"
    else
      arguments=$((arguments + 1))
    fi
  done
  if ((left > 0)); then
    _whorl_takes "$command $option"
  elif [[ $current == -* ]]; then
    files='' values=$options
  else
    _whorl_takes "$command $((arguments + 1))"
    if [[ -n $commands ]]; then
      values=$commands
    elif [[ -z $files$values ]]; then
      values=$options
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  [[ -z $files ]] || compopt -o default
}
complete -F _whorl whorl
)bash";

std::vector<std::string> option_names(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

void add_command(const CommandFacts& command, std::string& text) {
  std::vector<std::string> commands;
  for (const CommandFacts& below : command.commands) commands.push_back(below.words.back());
  text += fmt::format("    '{}') commands='{}' options='{}' ;;\n", command.name(" "), fmt::join(commands, " "),
                      fmt::join(option_names(command), " "));
  for (const CommandFacts& below : command.commands) add_command(below, text);
}

void add_words(const std::string& patterns, const OptionFacts& option, std::string& text) {
  text += fmt::format("    {}) count={}", patterns, std::max(option.least_words, 1));
  if (!option.values.empty()) text += fmt::format(" values='{}'", fmt::join(option.values, " "));
  if (option.takes_files) text += " files=yes";
  text += " ;;\n";
}

void add_takes(const CommandFacts& command, std::string& text) {
  const std::string name = command.name(" ");
  for (const OptionFacts& option : command.options) {
    if (option.most_words == 0) continue;
    std::vector<std::string> patterns;
    for (const std::string& word : option.names) patterns.push_back(fmt::format("'{} {}'", name, word));
    add_words(fmt::format("{}", fmt::join(patterns, " | ")), option, text);
  }
  int first = 1;
  for (const OptionFacts& argument : command.arguments) {
    // One that takes several words has all that follow.
    add_words(argument.most_words > 1 ? fmt::format("'{} '[0-9]*", name) : fmt::format("'{} {}'", name, first),
              argument, text);
    ++first;
  }
  for (const CommandFacts& below : command.commands) add_takes(below, text);
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  std::string text = R"(# bash completion for whorl, made by: whorl completion bash

# The commands and options after the words of a command.
_whorl_command() {
  commands='' options=''
  case $1 in
)";
  add_command(program, text);
  text += R"(  esac
}

# What an option takes, or the argument of that number: how many words at least, and which.
_whorl_takes() {
  count=0 files='' values=''
  case $1 in
)";
  add_takes(program, text);
  return text + "  esac\n}\n" + walk;
}

}  // namespace whorl::cli

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/help/completion.hpp"

namespace whorl::cli {

namespace {

// In single quotes.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

// A part of a specification of _arguments, whose parts are set apart by these letters.
std::string escaped(const std::string& text) {
  constexpr std::string_view special = "\\[]:";
  std::string result;
  for (const char letter : text) {
    if (special.find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

// What completes one word: a list, files, or nothing but the message.
std::string action(const OptionFacts& option) {
  if (!option.values.empty()) return fmt::format("({})", escaped(fmt::format("{}", fmt::join(option.values, " "))));
  return option.takes_files ? "_files" : " ";
}

// The words that an option takes, each with the message shown where nothing completes it.
std::string words_of(const OptionFacts& option) {
  constexpr int several = 3;  // of a list without end: zsh counts the words of an option
  std::string text;
  for (int i = 0; i < std::min(option.most_words, std::max(option.least_words, several)); ++i) {
    text += fmt::format("{}{}:{}", i < option.least_words ? ":" : "::", escaped(option.type), action(option));
  }
  return text;
}

void add_option(const OptionFacts& option, std::string& text) {
  for (const std::string& name : option.names) {
    std::string specification;
    if (option.names.size() > 1) specification += fmt::format("({})", fmt::join(option.names, " "));
    specification += name;
    // -oFILE and --output=FILE too, which several words leave no place for.
    if (option.most_words == 1) specification += name.starts_with("--") ? "=" : "+";
    specification += fmt::format("[{}]{}", escaped(option.description), words_of(option));
    text += fmt::format("    {} \\\n", in_quotes(specification));
  }
}

void add_argument(const OptionFacts& argument, std::size_t number, std::string& text) {
  const std::string place = argument.most_words > 1 ? "*" : fmt::format("{}", number);
  text += fmt::format("    {} \\\n",
                      in_quotes(fmt::format("{}:{}:{}", place, escaped(argument.names.front()), action(argument))));
}

// A command with commands below it: the first word names one, whose function completes the rest.
constexpr const char* descend = R"(    '1:command:->command' \
    '*::argument:->words' && return
  case $state in
    command)
      _describe -t commands command commands
      ;;
    words)
      curcontext=${{curcontext%:*:*}}:{0}-$words[1]:
      _call_function '' _{0}_$words[1]
      ;;
  esac
}}
)";

void add_function(const CommandFacts& command, std::string& text) {
  const std::string name = command.name("_");
  text += fmt::format("\n_{}() {{\n", name);
  if (!command.commands.empty()) {
    text +=
        "  local curcontext=$curcontext context state state_descr line\n  typeset -A opt_args\n  local -a commands=(\n";
    for (const CommandFacts& below : command.commands) {
      text += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", below.words.back(), below.summary)));
    }
    text += "  )\n";
  }
  text += fmt::format("  _arguments {}\\\n", command.commands.empty() ? "" : "-C ");
  for (const OptionFacts& option : command.options) add_option(option, text);
  std::size_t number = 0;
  for (const OptionFacts& argument : command.arguments) add_argument(argument, ++number, text);
  if (command.commands.empty()) {
    text.erase(text.size() - 3);  // the last " \\\n"
    text += "\n}\n";
  } else {
    text += fmt::format(descend, name);
  }
  for (const CommandFacts& below : command.commands) add_function(below, text);
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  std::string text = "#compdef whorl\n# zsh completion for whorl, made by: whorl completion zsh\n";
  add_function(program, text);
  // Found in fpath, this file is the body of the function of its name, and runs at once.
  return text + R"(
if [[ $funcstack[1] == _whorl ]]; then
  _whorl "$@"
else
  compdef _whorl whorl
fi
)";
}

}  // namespace whorl::cli

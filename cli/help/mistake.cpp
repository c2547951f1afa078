#include "cli/help/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "cli/help/command_facts.hpp"
#include "cli/output/shell_words.hpp"
#include "core/close_words.hpp"

namespace whorl::cli {

namespace {

// "--lamda=3": "--lamda". Empty: the word is no option.
std::string option_in(const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || (word[1] != '-' && std::isalpha(static_cast<unsigned char>(word[1])) == 0)) {
    return {};
  }
  return word.substr(0, word.find('='));
}

std::string command_of(std::vector<std::string> words, const std::string& wrong, const std::string& meant) {
  for (std::string& word : words) {
    if (word == wrong) {
      word = meant;
      break;
    }
    if (word.starts_with(wrong + "=")) word.replace(0, wrong.size(), meant);
  }
  return shell_line(words);
}

// One word that may be meant is put into the command; several are named.
std::string suggestion(const std::vector<std::string>& meant, const std::string& wrong,
                       const std::vector<std::string>& words) {
  if (meant.size() != 1) return did_you_mean(meant);
  return fmt::format(" (did you mean {}: {})", meant.front(), command_of(words, wrong, meant.front()));
}

std::vector<KnownWord> known_options(const CLI::App& app) {
  std::vector<KnownWord> known;
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) known.push_back({"--" + name, option->get_description()});
  }
  return known;
}

// Commands below `app`, or those with just this name below others: "radial" is "traj radial".
std::vector<std::string> commands_meant(const CLI::App& app, const CLI::App& root, const std::string& word) {
  const auto below = [](const CLI::App& above) {
    return above.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
  };
  std::vector<std::string> elsewhere;
  for (const CLI::App* group : below(root)) {
    for (const CLI::App* one : below(*group)) {
      if (&app == &root && one->get_name() == word) elsewhere.push_back(group->get_name() + " " + word);
    }
  }
  if (!elsewhere.empty()) return elsewhere;
  std::vector<KnownWord> known;
  for (const CLI::App* one : below(app)) known.push_back({one->get_name(), one->get_description()});
  return close_words(word, known);
}

// The command of the first example, or what it gives for an option.
std::string first_example(const CLI::App& app) {
  std::istringstream lines(app.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  whorl ")) continue;
    const std::string command = line.substr(2);
    return command.substr(0, command.find("  "));
  }
  return {};
}

std::string example_value(const CLI::App& app, const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::istringstream words(app.get_footer());
  for (std::string word; words >> word;) {
    if (std::find(names.begin(), names.end(), word) != names.end() && words >> word) return word;
  }
  return option.get_type_name().substr(0, option.get_type_name().find(':'));
}

// Where a word stands for itself in another: as all of it, or between the marks of terms and filters.
std::size_t place_of(const std::string& wrong, const std::string& word) {
  constexpr std::string_view marks = ":,= |";
  for (std::size_t at = word.find(wrong); at != std::string::npos; at = word.find(wrong, at + 1)) {
    const std::size_t end = at + wrong.size();
    const bool begins = at == 0 || marks.find(word[at - 1]) != std::string_view::npos;
    if (begins && (end == word.size() || marks.find(word[end]) != std::string_view::npos)) return at;
  }
  return std::string::npos;
}

// "'TV' ... (did you mean tv?)" with the whole command in place of the question mark, where the wrong word is in one place.
std::string with_command(std::string message, std::vector<std::string> words) {
  constexpr std::string_view opening = "(did you mean ";
  const std::size_t start = message.find(opening);
  const std::size_t end = message.find("?)", start);
  if (start == std::string::npos || end == std::string::npos) return message;
  const std::string meant = message.substr(start + opening.size(), end - start - opening.size());
  const std::size_t close = message.rfind('\'', start);
  const std::size_t open = close == std::string::npos || close == 0 ? close : message.rfind('\'', close - 1);
  if (open == std::string::npos || meant.find(" or ") != std::string::npos) return message;
  const std::string wrong = message.substr(open + 1, close - open - 1);
  std::string* only = nullptr;
  for (std::string& word : words) {
    if (wrong.empty() || place_of(wrong, word) == std::string::npos) continue;
    if (only != nullptr) return message;
    only = &word;
  }
  if (only == nullptr) return message;
  only->replace(place_of(wrong, *only), wrong.size(), meant);
  return message.replace(end, 1, ": " + shell_line(words));
}

// "--output is required": what the command is with it.
std::string completed(const CLI::App& app, const std::string& missing, const std::vector<std::string>& words) {
  const std::string name = missing.substr(0, missing.find_first_of(" ,"));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return {};
  if (option->get_positional()) {
    const std::string example = first_example(app);
    return example.empty() ? example : ", such as: " + example;
  }
  return fmt::format(": {} {} {}", shell_line(words), name, example_value(app, *option));
}

}  // namespace

std::string with_typed_options(const Program& program, std::string message) {
  constexpr std::array before{" by ",  " as ",    " state ",   " option ", " options ",
                              " and ", " other ", " another ", " or "};
  message.insert(0, " ");  // its first word is one of those before, too
  for (const CLI::Option* option : program.chosen().app->get_options({})) {
    for (const std::string& name : option->get_lnames()) {
      const bool is_english = name.find('-') == std::string::npos;  // a name of one word may be meant as a word
      for (const std::string word : before) {
        if (is_english && word != " option ") continue;
        const std::size_t at = message.find(word + name);
        const std::size_t end = at + word.size() + name.size();
        const bool is_whole = at != std::string::npos &&
                              (end == message.size() ||
                               (std::isalnum(static_cast<unsigned char>(message[end])) == 0 && message[end] != '-'));
        if (is_whole) message.insert(at + word.size(), "--");
      }
    }
  }
  return message.substr(1);
}

std::string describe_mistake(const Program& program, const CLI::ParseError& error,
                             const std::vector<std::string>& words) {
  const auto [app, command] = program.chosen();
  const std::vector<std::string> unknown = program.root().remaining(true);
  const auto seen = [&](const std::string& text) { return fmt::format("{}; see {} --help", text, command); };
  // CLI11 says "a subcommand is required" of a word that is none.
  if (app->get_require_subcommand_min() > 0 && !unknown.empty()) {
    const std::string& word = unknown.front();
    const std::string option = option_in(word);
    const auto meant = option.empty() ? commands_meant(*app, program.root(), word)
                                      : close_words(option.substr(option.find_first_not_of('-')), known_options(*app));
    return seen(fmt::format("'{}' is neither a command nor an option of {}{}", word, command,
                            suggestion(meant, option.empty() ? word : option, words)));
  }
  const auto wrong =
      std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) { return !option_in(word).empty(); });
  if (wrong != unknown.end()) {
    const std::string option = option_in(*wrong);
    return seen(fmt::format(
        "{} has no option {}{}", command, option,
        suggestion(close_words(option.substr(option.find_first_not_of('-')), known_options(*app)), option, words)));
  }
  const std::string what = error.what();
  // CLI11 says "--output requires --trajectory" of an option that does nothing without another.
  constexpr std::string_view requires_another = " requires ";
  if (const std::size_t at = what.find(requires_another);
      error.get_name() == "RequiresError" && at != std::string::npos)
    return seen(what + completed(*app, what.substr(at + requires_another.size()), words));
  return seen(error.get_name() == "RequiredError" ? what + completed(*app, what, words) : with_command(what, words));
}

}  // namespace whorl::cli

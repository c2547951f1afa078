#include "cli/help/help_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>

#include "cli/help/command_facts.hpp"
#include "cli/help/footer_lines.hpp"
#include "core/close_words.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

constexpr std::size_t name_column = 30;
constexpr std::size_t most_examples = 3;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool holds(const std::string& text, const std::string& word) {
  return lower(text).find(lower(word)) != std::string::npos;
}

// Words in lines of at most `width` letters, where a single word is not longer; the lines after the first are indented.
std::string wrapped(const std::string& text, std::size_t first, std::size_t indent, std::size_t width,
                    const std::string& end_of_line = "") {
  std::string result;
  std::size_t column = first;
  bool begins = true;
  std::istringstream words(text);
  for (std::string word; words >> word; begins = false) {
    if (!begins && column + 1 + word.size() + end_of_line.size() > width) {
      result += end_of_line + "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!begins) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

// A sentence ends where the next begins with a capital letter.
std::string first_sentence(const std::string& text) {
  for (std::size_t end = text.find(". "); end != std::string::npos; end = text.find(". ", end + 1)) {
    if (end + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[end + 2])) != 0)
      return text.substr(0, end);
  }
  return text;
}

// "; not with --maps": the options that `condition`, the end of a help, does not name already.
std::string names_of(const std::string& what, const std::set<CLI::Option*>& options, const std::string& condition) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name(option->get_positional()));
  std::erase_if(names, [&](const std::string& name) { return holds(condition, name); });
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : fmt::format("; {} {}", what, fmt::join(names, ", "));
}

// "--tolerance TEXT", "scan FILE ...".
std::string left_side(const CLI::Option& option) {
  const bool positional = option.get_positional();
  std::string text = positional ? option.get_name(true) : option.get_name(false, true);
  if (option.get_items_expected_max() == 0) return text;
  if (!option.get_type_name().empty())
    text += " " + option.get_type_name().substr(0, option.get_type_name().find(":{"));
  return option.get_expected_max() > 1 ? text + " ..." : text;
}

std::string right_side(const CLI::Option& option, bool whole) {
  std::string text = whole ? option.get_description() : first_sentence(option.get_description());
  const std::string condition = text.substr(std::min(text.rfind("; only with"), text.size()));
  if (whole) text += names_of("not with", option.get_excludes(), condition);
  if (whole) text += names_of("needs", option.get_needs(), condition);
  if (!option.get_default_str().empty() && option.get_items_expected_max() > 0) {
    text += fmt::format(" [{}]", option.get_default_str());
  }
  return option.get_required() ? text + " (required)" : text;
}

std::string row(const std::string& left, const std::string& right, int width) {
  std::string text = "  " + left;
  if (text.size() + 2 > name_column) {
    text += "\n" + std::string(name_column, ' ');
  } else {
    text.resize(name_column, ' ');
  }
  return text + wrapped(right, name_column, name_column, static_cast<std::size_t>(width));
}

// A command of an example goes on in the next line as a shell takes it.
std::string example_command(const std::string& line, int width) {
  const std::string content = line.substr(2);
  const std::size_t gap = content.find("  ");
  std::string text = "  " + wrapped(content.substr(0, gap), 2, 6, static_cast<std::size_t>(width), " \\");
  if (gap != std::string::npos) text += "      " + wrapped(content.substr(gap), 6, 6, static_cast<std::size_t>(width));
  return text;
}

// A paragraph, or a row of a table: a name, two blanks or more, and what is said of it.
std::string prose(const std::string& line, int width) {
  const auto columns = static_cast<std::size_t>(width);
  if (line.size() <= columns) return line + "\n";
  const std::size_t begin = text_column(line);
  return line.substr(0, begin) + wrapped(line.substr(begin), begin, begin, columns);
}

// What stands below the options, with `most` examples.
std::string footer_text(const std::string& footer, std::size_t most, int width) {
  std::string text;
  std::size_t count = 0;
  bool in_examples = false;
  for (const std::string& line : joined_lines(footer)) {
    in_examples = line == "Examples:" || (in_examples && line.starts_with("  "));
    if (!in_examples || line == "Examples:") {
      text += prose(line, width);
      continue;
    }
    const bool is_command = line.size() > 2 && line[2] != ' ';
    if (is_command) ++count;
    if (count > most) continue;
    text += is_command ? example_command(line, width) : "      " + wrapped(line, 6, 6, static_cast<std::size_t>(width));
  }
  return text;
}

using Options = std::vector<const CLI::Option*>;

// Options that are no arguments, group by group.
Options options_of(const CLI::App& app) {
  Options options;
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    for (const CLI::Option* option : app.get_options({})) {
      if (option->nonpositional() && option->get_group() == group) options.push_back(option);
    }
  }
  return options;
}

// The word by which the help of a group is asked for: "solver" of "Solver (cg-sense)", "phantom" of "The phantom".
std::string topic_of(const std::string& group) {
  std::string name = lower(group);
  for (const std::string article : {"the ", "what the "}) {
    if (name.starts_with(article)) name.erase(0, article.size());
  }
  return name.substr(0, name.find_first_of(" ,("));
}

std::vector<std::string> topics_of(const Options& options) {
  std::vector<std::string> topics;
  for (const CLI::Option* option : options) {
    const std::string topic = topic_of(option->get_group());
    if (std::find(topics.begin(), topics.end(), topic) == topics.end()) topics.push_back(topic);
  }
  return topics;
}

Options about(const Options& all, const std::string& topic, const std::string& words) {
  const std::string word = topic.substr(std::min(topic.find_first_not_of('-'), topic.size()));
  const auto chosen = [&](const std::function<bool(const CLI::Option&)>& is_chosen) {
    Options options;
    std::copy_if(all.begin(), all.end(), std::back_inserter(options),
                 [&](const CLI::Option* option) { return is_chosen(*option); });
    return options;
  };
  Options options = chosen([&](const CLI::Option& option) {
    return topic_of(option.get_group()) == lower(word) || holds(option.get_name(), word);
  });
  if (options.empty())
    options = chosen([&](const CLI::Option& option) { return holds(option.get_description(), word); });
  if (word.empty() || options.empty()) {
    const std::vector<std::string> topics = topics_of(all);
    throw ValueError(fmt::format("{} has no options about '{}'{}; expected all, {} or a part of an option's name",
                                 words, topic, did_you_mean(close_words(word, topics)), fmt::join(topics, ", ")));
  }
  return options;
}

// The named ones, or as many whole groups as there is room for.
Options common_of(const Options& all, const std::vector<std::string>& names) {
  Options options;
  for (const CLI::Option* option : all) {
    const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
    const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    if (names.empty() ? name != "help" : is_named) options.push_back(option);
  }
  while (options.size() > most_common_options) {
    const std::string last = options.back()->get_group();
    std::erase_if(options, [&](const CLI::Option* option) { return option->get_group() == last; });
  }
  return options;
}

std::string options_text(const Options& options, bool whole, int width) {
  std::string text;
  std::string group;
  for (const CLI::Option* option : options) {
    if (option->get_group() != group) text += fmt::format("\n{}:\n", option->get_group());
    group = option->get_group();
    text += row(left_side(*option), right_side(*option, whole), width);
  }
  return text;
}

std::string arguments_text(const CLI::App& app, int width) {
  std::string text;
  for (const CLI::Option* option : app.get_options({})) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    if (text.empty()) text = "\nArguments:\n";
    text += row(left_side(*option), right_side(*option, true), width);
  }
  return text;
}

std::string commands_text(const CLI::App& app, int width) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    if (text.empty()) text = "\nCommands:\n";
    text += row(command->get_name(), command->get_description(), width);
  }
  return text;
}

std::string usage(const CLI::App& app, const std::string& words) {
  std::string text = CLI::Formatter().make_usage(&app, words);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n";
}

}  // namespace

std::string help_page(const CLI::App& app, const HelpRequest& request) {
  const Options all = options_of(app);
  const int width = request.width;
  if (!request.topic.empty() && request.topic != "all") {
    return fmt::format("{}, options about {}:\n{}", request.words, request.topic,
                       options_text(about(all, request.topic, request.words), true, width));
  }
  const bool whole = request.topic == "all";
  const Options shown = whole ? all : common_of(all, request.common);
  std::string text = wrapped(app.get_description(), 0, 0, static_cast<std::size_t>(width));
  text += wrapped(usage(app, request.words), 0, 7, static_cast<std::size_t>(width));
  text += arguments_text(app, width) + options_text(shown, whole, width) + commands_text(app, width);
  const std::string footer = footer_text(app.get_footer(), whole ? std::string::npos : most_examples, width);
  if (!footer.empty()) text += "\n" + footer;
  if (whole || shown.size() + 1 >= all.size()) return text;
  text +=
      "\n" + wrapped(fmt::format("All {} options: {} --help all. Some of them: {} --help TOPIC, where TOPIC is {} or a "
                                 "part of an option's name.",
                                 all.size(), request.words, request.words, fmt::join(topics_of(all), ", ")),
                     0, 0, static_cast<std::size_t>(width));
  return text;
}

}  // namespace whorl::cli

#include "cli/app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/help/help_page.hpp"
#include "core/close_words.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"

namespace whorl::cli {

namespace {

// Lines of help are as long as the terminal is wide, within what can be read.
constexpr int least_width = 60;
constexpr int most_width = 120;

constexpr const char* footer =
    R"(Every command explains itself and shows examples: whorl COMMAND --help, or whorl help COMMAND.
Exit codes: 0 done, 1 failed (one line on standard error says why), 2 a mistake in the command line.)";

std::string version_text() {
  std::string text = "whorl " + version();
  for (const auto& [name, value] : build_facts()) text += fmt::format("\n{}: {}", name, value);
  return text;
}

}  // namespace

Program::Program(const std::vector<Command>& commands)
    : app_("Non-Cartesian MRI reconstruction: measurements to images.", "whorl") {
  app_.set_version_flag("--version", version_text());
  app_.get_option("--version")->description("Print the version and how it was built, and exit");
  app_.set_help_flag("-h,--help",
                     "Print help and exit: of the most used options, or of all, a group or a name (--help all)");
  app_.require_subcommand(1);
  app_.footer(footer);
  for (const Command& command : commands) add(app_, command);
}

// Adds a command, or a group of them. Options are those of a command alone.
void Program::add(CLI::App& parent, const Command& command) {
  CLI::App* app = parent.add_subcommand(command.name, command.summary);
  app->footer(command.examples);
  if (!command.alias.empty()) app->alias(command.alias);
  if (!command.subcommands.empty()) {
    app->require_subcommand(1);
    for (const Command& subcommand : command.subcommands) add(*app, subcommand);
    return;
  }
  App& options = apps_.emplace_back(*app);
  runs_[app] = command.define(options);
  common_options_[app] = command.common_options;
  if (command.has_rank_work) rank_work_.insert(app);
  add_common_options(options, common_, command.has_gpu_work, command.has_rank_work);
}

ChosenCommand Program::take_command(std::vector<std::string>& words) const {
  ChosenCommand found{&app_, app_.get_name()};
  while (!words.empty()) {
    const auto below =
        found.app->get_subcommands([&](const CLI::App* next) { return next->check_name(words.front()); });
    if (below.empty()) break;
    found = {below.front(), found.words + " " + below.front()->get_name()};
    words.erase(words.begin());
  }
  return found;
}

std::optional<std::string> Program::help_asked_for(std::vector<std::string> words, int columns) const {
  const bool by_word = !words.empty() && words.front() == "help";
  if (by_word) words.erase(words.begin());
  const auto [app, name] = take_command(words);
  const auto is_flag = [](const std::string& word) { return word == "--help" || word == "-h"; };
  auto topic = words.begin();
  if (!by_word) {
    topic = std::find_if(words.begin(), words.end(), is_flag);
    if (topic == words.end()) return std::nullopt;
    ++topic;
  }
  HelpRequest request{name};
  if (const auto common = common_options_.find(app); common != common_options_.end()) request.common = common->second;
  if (topic != words.end()) request.topic = *topic;
  if (columns > 0) request.width = std::clamp(columns, least_width, most_width);
  if (by_word && topic != words.end() && app->get_require_subcommand_min() > 0) {
    std::vector<std::string> commands;
    for (const CLI::App* one : app->get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(one->get_name());
    refuse(fmt::format("'{}' is no command of {}{}", *topic, name, did_you_mean(close_words(*topic, commands))));
  }
  try {
    return help_page(*app, request);
  } catch (const ValueError& error) {
    refuse(error.what());
  }
}

void Program::parse(std::vector<std::string> words) {
  // The command that the first words name knows which of its options take lists.
  std::vector<std::string> behind = words;
  const CLI::App* command = take_command(behind).app;
  for (const App& app : apps_) {
    if (&app.native() != command) continue;
    const std::vector<std::string> joined = app.join_lists(behind);
    words.resize(words.size() - behind.size());
    words.insert(words.end(), joined.begin(), joined.end());
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app_.parse(std::move(words));
  for (const App& app : apps_) {
    if (&app.native() == command) app.check_effects();
  }
}

const CommandFiles& Program::chosen_files() const {
  const CLI::App* app = chosen().app;
  return std::find_if(apps_.begin(), apps_.end(), [&](const App& command) { return &command.native() == app; })
      ->files();
}

ChosenCommand Program::chosen() const {
  ChosenCommand chosen{&app_, app_.get_name()};
  for (auto next = app_.get_subcommands(); !next.empty(); next = chosen.app->get_subcommands()) {
    chosen.app = next.front();
    chosen.words += " " + chosen.app->get_name();
  }
  return chosen;
}

}  // namespace whorl::cli

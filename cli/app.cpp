#include "cli/app.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/version.hpp"

namespace whorl::cli {

namespace {

constexpr const char* footer = R"(Every command explains itself and shows examples: whorl COMMAND --help
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
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.require_subcommand(1);
  app_.footer(footer);
  for (const Command& command : commands) add(app_, command);
}

// Adds a command, or a group of them. Options are those of a command alone.
void Program::add(CLI::App& parent, const Command& command) {
  CLI::App* app = parent.add_subcommand(command.name, command.summary);
  app->footer(command.examples);
  if (!command.subcommands.empty()) {
    app->require_subcommand(1);
    for (const Command& subcommand : command.subcommands) add(*app, subcommand);
    return;
  }
  App& options = apps_.emplace_back(*app);
  runs_[app] = command.define(options);
  if (command.has_rank_work) rank_work_.insert(app);
  add_common_options(options, common_, command.has_gpu_work, command.has_rank_work);
}

void Program::parse(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  // The command that the first words name knows which of its options take lists.
  const CLI::App* command = &app_;
  std::size_t used = 0;
  for (; used < words.size(); ++used) {
    const std::vector<const CLI::App*> below =
        command->get_subcommands([&](const CLI::App* next) { return next->get_name() == words[used]; });
    if (below.empty()) break;
    command = below.front();
  }
  for (const App& app : apps_) {
    if (&app.native() != command) continue;
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(used);
    const std::vector<std::string> joined = app.join_lists({behind, words.end()});
    words.erase(behind, words.end());
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

#include "cli/app.hpp"

#include <fmt/format.h>

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
  add_common_options(options, common_);
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

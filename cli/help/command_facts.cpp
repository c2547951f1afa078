#include "cli/help/command_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/options/option_values.hpp"

namespace whorl::cli {

namespace {

OptionFacts describe_option(CLI::Option& option) {
  OptionFacts facts;
  if (option.get_positional()) {
    facts.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.description = option.get_description();
  facts.least_words = option.get_items_expected_min();
  facts.most_words = option.get_items_expected_max();
  if (facts.most_words == 0) return facts;
  facts.type = option.get_type_name();
  facts.values = offered_values(option);
  std::sort(facts.values.begin(), facts.values.end());
  facts.takes_files = facts.type.starts_with(file_type) || facts.type.starts_with(folder_type);
  return facts;
}

CommandFacts describe(CLI::App& app, std::vector<std::string> words) {
  words.push_back(app.get_name());
  CommandFacts facts;
  facts.words = words;
  facts.summary = app.get_description();
  for (CLI::Option* option : app.get_options({})) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? facts.arguments : facts.options).push_back(describe_option(*option));
  }
  for (CLI::App* command : shown_commands(app)) facts.commands.push_back(describe(*command, words));
  return facts;
}

}  // namespace

std::string CommandFacts::name(const std::string& separator) const {
  return fmt::format("{}", fmt::join(words, separator));
}

CommandFacts describe_command(CLI::App& app) { return describe(app, {}); }

CLI::App& root_of(CLI::App& app) {
  CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return *root;
}

std::vector<CLI::App*> shown_commands(CLI::App& app) {
  std::vector<CLI::App*> commands = app.get_subcommands({});
  std::erase_if(commands, [](const CLI::App* command) { return command->get_group().empty(); });
  return commands;
}

}  // namespace whorl::cli

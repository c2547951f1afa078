#include "cli/help/man_page.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/help/command_facts.hpp"
#include "cli/help/roff.hpp"
#include "whorl/core/version.hpp"

namespace whorl::cli {

namespace {

// The texts of an option are those of the help.
const CLI::Formatter& help_texts() {
  static const CLI::Formatter formatter;
  return formatter;
}

// A list of words without blanks may be longer than a line: it may be broken after its commas.
std::string breakable(const std::string& roff_text) {
  std::string text;
  for (const char letter : roff_text) {
    text += letter;
    if (letter == ',') text += "\\:";
  }
  return text;
}

std::string option_text(const CLI::Option& option) {
  const bool positional = option.get_positional();
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(help_texts().make_option_name(&option, positional)),
                     breakable(roff(help_texts().make_option_opts(&option))),
                     roff(help_texts().make_option_desc(&option)));
}

std::string options_text(const CLI::App& app) {
  std::string text;
  std::string arguments;
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_positional() && !option->get_group().empty()) arguments += option_text(*option);
  }
  if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
  text += ".SH OPTIONS\n";
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    std::string options;
    for (const CLI::Option* option : app.get_options({})) {
      if (option->nonpositional() && option->get_group() == group) options += option_text(*option);
    }
    if (options.empty()) continue;
    if (group != "Options") text += fmt::format(".SS {}\n", roff(group));
    text += options;
  }
  return text;
}

// "Usage: whorl recon [OPTIONS] scan", as the help has it, without its first word.
std::string synopsis(const CLI::App& app, const std::string& words) {
  std::string usage = help_texts().make_usage(&app, words);
  usage.erase(usage.find_last_not_of('\n') + 1);
  const std::size_t options = usage.find(words) + words.size();
  return fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", roff(words), roff(usage.substr(options)));
}

std::string commands_text(const std::string& page, const std::vector<CLI::App*>& commands) {
  if (commands.empty()) return {};
  std::string text = ".SH COMMANDS\n";
  for (const CLI::App* command : commands) {
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(page + "-" + command->get_name()),
                        roff(command->get_description()));
  }
  return text;
}

// The page above, and those of the commands beside it.
std::string see_also(const CLI::App& app, CLI::App& parent, const std::string& parent_page) {
  std::string text = fmt::format(".SH SEE ALSO\n.BR {} (1)", roff(parent_page));
  for (const CLI::App* other : shown_commands(parent)) {
    if (other != &app) text += fmt::format(",\n.BR {} (1)", roff(parent_page + "-" + other->get_name()));
  }
  return text + "\n";
}

std::string joined(const std::string& words, char separator) {
  std::string text = words;
  std::replace(text.begin(), text.end(), ' ', separator);
  return text;
}

void add_page(CLI::App& app, const std::string& words, std::vector<ManPage>& pages) {
  const std::string name = joined(words, '-');
  const RoffFooter footer = roff_footer(app.get_footer());
  const std::vector<CLI::App*> commands = shown_commands(app);
  // No date, so that the same source makes the same page; no hyphens nor wide gaps in what may be an option.
  std::string text = fmt::format(".TH {} 1 \"\" \"whorl {}\" \"User commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
                                 roff(name), version(), roff(name), roff(app.get_description()));
  text += synopsis(app, words);
  if (!footer.description.empty()) text += ".SH DESCRIPTION\n" + footer.description;
  text += commands_text(name, commands) + options_text(app);
  if (!footer.examples.empty()) text += ".SH EXAMPLES\n" + footer.examples;
  CLI::App* parent = app.get_parent();
  if (parent != nullptr) text += see_also(app, *parent, joined(words.substr(0, words.rfind(' ')), '-'));
  pages.push_back({name, std::move(text)});
  for (CLI::App* command : commands) add_page(*command, words + " " + command->get_name(), pages);
}

}  // namespace

std::vector<ManPage> man_pages(CLI::App& program) {
  std::vector<ManPage> pages;
  add_page(program, program.get_name(), pages);
  return pages;
}

}  // namespace whorl::cli

// The program as CLI11 knows it: what reads the command line, and what help, completion and manual pages are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/common_options.hpp"

namespace whorl::cli {

/// The command that was named last, and the words that lead to it: "whorl nufft forward".
struct ChosenCommand {
  const CLI::App* app;
  std::string words;
};

class Program {
 public:
  /// All commands with their options; `commands` may hold commands themselves, to any depth.
  explicit Program(const std::vector<Command>& commands);
  // The options refer to members.
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CLI::App& app() { return app_; }
  const CLI::App& root() const { return app_; }
  /// What is to be printed if the words ask for help, in either way: "recon --help nlinv", "help recon nlinv".
  /// `columns` are those of the terminal, 0 where there is none. Throws CLI::ParseError for help about nothing that there
  /// is.
  std::optional<std::string> help_asked_for(std::vector<std::string> words, int columns) const;
  /// Reads the command line, without the program's name. Throws CLI::ParseError.
  void parse(std::vector<std::string> words);
  const CommonOptions& common() const { return common_; }

  /// After the command line was parsed.
  ChosenCommand chosen() const;
  const Run& chosen_run() const { return runs_.at(chosen().app); }
  bool chosen_has_rank_work() const { return rank_work_.contains(chosen().app); }
  const CommandFiles& chosen_files() const;
  /// Every command, but for groups of them.
  const std::deque<App>& commands() const { return apps_; }

 private:
  void add(CLI::App& parent, const Command& command);
  // The command that the first words name, which leave the others.
  ChosenCommand take_command(std::vector<std::string>& words) const;

  CLI::App app_;
  std::deque<App> apps_;
  CommonOptions common_;
  std::map<const CLI::App*, Run> runs_;
  std::set<const CLI::App*> rank_work_;
  std::map<const CLI::App*, std::vector<std::string>> common_options_;
};

}  // namespace whorl::cli

// The program as CLI11 knows it: what reads the command line, and what help, completion and manual pages are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <map>
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
  /// Reads the command line. Throws CLI::ParseError.
  void parse(int argc, const char* const* argv);
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

  CLI::App app_;
  std::deque<App> apps_;
  CommonOptions common_;
  std::map<const CLI::App*, Run> runs_;
  std::set<const CLI::App*> rank_work_;
};

}  // namespace whorl::cli

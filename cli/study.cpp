// whorl study: the experiments of papers, run again.
#include "studies/study.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::unique_ptr<studies::Experiment> experiment;
  std::string folder;
};

void run(const studies::Study& study, const Options& options, const Session& session) {
  // What would be refused after minutes of work is refused now.
  if (!options.folder.empty()) studies::make_folder(options.folder);
  const std::unique_ptr<studies::Experiment> experiment =
      studies::for_device(session.device().device().kind, study.name, options.experiment->options());
  const studies::Results results = experiment->run(session.device());
  std::string text;
  for (const studies::Table& table : results.tables) text += to_text(table) + "\n";
  for (const std::string& note : results.notes) text += note + "\n";
  if (!options.folder.empty()) {
    for (const auto& file :
         write_results(session.device(), {study.name, session.command_line}, results, options.folder)) {
      text += fmt::format("wrote {}\n", file.string());
    }
  }
  if (!session.quiet) std::fputs(text.c_str(), stdout);
}

Command command_of(const studies::Study& study) {
  return {study.name, study.summary, study.text, [study](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            options->experiment = study.make();
            app.add_output("-o,--results", options->folder, folder_output({".csv", ".png", "results.json"}),
                           "Folder for the tables (.csv), all results (results.json) and the pictures (.png)");
            const studies::BoundOptions bound = options->experiment->options();
            add_options(app, bound.values, *bound.table, {});
            return [study, options](const Session& session) { run(study, *options, session); };
          }};
}

constexpr const char* examples =
    R"(Every study explains itself and shows examples: whorl study NAME --help. docs/studies.md shows what came out.)";

}  // namespace

Command study_command() {
  Command command{
      "study", "Run an experiment of a paper again: tables and pictures of what comes out here", examples, {}};
  for (const studies::Study& study : studies::all_studies()) command.subcommands.push_back(command_of(study));
  return command;
}

}  // namespace whorl::cli

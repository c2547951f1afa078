// whorl study: the experiments of papers, run again.
#include "studies/study.hpp"
#include "studies/lessons.hpp"
#include "studies/machine.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::unique_ptr<studies::Experiment> experiment;
  std::string folder;
  std::uint64_t step = 0;  // 0: all of them
};

/// The lesson of the step, and the step alone.
studies::Results run_step(const studies::Study& study, studies::Experiment& experiment, std::uint64_t number,
                          const Context& ctx, std::string& text) {
  const std::vector<studies::Lesson> lessons = studies::lessons_of(study.name, ctx.device().kind);
  if (lessons.empty()) {
    throw ValueError(fmt::format("study {0}: --step is {1}, but {0} has no steps; leave it out", study.name, number));
  }
  if (number > lessons.size()) {
    throw ValueError(fmt::format("study {}: --step is {}, expected 1 to {} on {}", study.name, number, lessons.size(),
                                 to_string(ctx.device())));
  }
  text = to_text(lessons, number) + "\n";
  const studies::Lesson& lesson = lessons[number - 1];
  return experiment.run_step(ctx, lesson.ladder, lesson.step);
}

// A folder for results that goes again, if it is new, where they can not be written.
class NewFolder {
 public:
  explicit NewFolder(const std::string& folder) : folder_(folder), goes_(studies::make_folder(folder)) {}
  ~NewFolder() {
    std::error_code ignored;
    if (goes_) std::filesystem::remove(folder_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { goes_ = false; }

 private:
  std::filesystem::path folder_;
  bool goes_;
};

void run(const studies::Study& study, const Options& options, const Session& session) {
  const std::unique_ptr<studies::Experiment> experiment =
      studies::for_device(session.device().device().kind, study.name, options.experiment->options());
  const std::optional<double> load = studies::load_of_machine();
  std::string text;
  const studies::Results results = options.step > 0 ? run_step(study, *experiment, options.step, session.device(), text)
                                                    : experiment->run(session.device());
  for (const studies::Table& table : results.tables) text += to_text(table) + "\n";
  for (const std::string& note : results.notes) text += note + "\n";
  if (!options.folder.empty()) {
    NewFolder folder(options.folder);  // that it can be made was checked before the work
    AtomicFileGroup together;
    for (const auto& file :
         write_results(session.device(), {study.name, session.command_line, load}, results, options.folder)) {
      text += fmt::format("wrote {}\n", file.string());
    }
    together.commit();
    folder.keep();
  }
  if (!session.quiet) print(text);
}

Command command_of(const studies::Study& study) {
  return {study.name, study.summary, study.text, [study](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            options->experiment = study.make();
            app.add_output("-o,--results", options->folder, folder_output({".csv", ".png", "results.json"}),
                           "Folder for the tables (.csv), all results (results.json) and the pictures (.png)");
            app.add_option("--step", options->step, "Show the source of one step, 1 for the first, and run it alone");
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

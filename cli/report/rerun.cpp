// whorl rerun: a recorded run again, and whether it comes to the same.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/command.hpp"
#include "cli/output/print.hpp"
#include "cli/output/shell_words.hpp"
#include "cli/report/recorded_run.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

// A folder of its own for the results, which goes with it.
class ResultFolder {
 public:
  ResultFolder() {
    std::string name = (fs::temp_directory_path() / "whorl-rerun-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw IoError(fmt::format("rerun: cannot make the folder '{}'", name));
    path_ = name;
  }
  ~ResultFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The recorded words with outputs in another folder, and where each went.
struct MovedRun {
  std::vector<std::string> words;
  std::map<std::string, std::string> outputs;  // old name -> new name
};

MovedRun moved(const RecordedRun& run, const fs::path& folder) {
  MovedRun result;
  for (const FileOption& option : run.files().options()) {
    if (!option.is_output) continue;
    for (const std::string& name : option.names()) {
      if (name.empty() || name == "-") continue;
      if (option.kind.is_folder) {
        throw ValueError(fmt::format("rerun: {} is a folder of results; repeat the command by hand: {}", option.name,
                                     shell_line(run.words())));
      }
      // A folder each: names that differ by their folder alone do not meet.
      const fs::path place = folder / std::to_string(result.outputs.size());
      fs::create_directory(place);
      result.outputs.emplace(name, (place / fs::path(name).filename()).string());
    }
  }
  for (const std::string& word : run.words()) {
    const std::size_t value = word.starts_with("-") ? word.find('=') + 1 : 0;
    const auto found = result.outputs.find(word.substr(value));
    result.words.push_back(found == result.outputs.end() ? word : word.substr(0, value) + found->second);
  }
  return result;
}

void repeat(const MovedRun& moved, const Session& session) {
  Program program(commands());
  program.parse(moved.words);
  program.chosen_files().check();
  const Session again(
      session.ctx, shell_line(moved.words), true, program.chosen_files(),
      [&session](const Context&) { return session.device(); }, [&session] { session.keep_results(); }, session.ranks,
      [&session](const Context&) { return session.devices(); });
  program.chosen_run()(again);
  session.keep_results();
}

struct Comparison {
  bool is_known = false;  // whether anything of the old results could be compared
  bool is_same = true;
  std::string text;
};

Comparison compare_runs(const Session& session, const RecordedRun& run, const MovedRun& moved,
                        const fs::path& old_record, const fs::path& new_record) {
  const RecordComparison records = compare_records(old_record, new_record);
  Comparison result;
  if (records.same_image) {
    result.is_known = true;
    result.is_same = *records.same_image;
    result.text += result.is_same ? "image: same to the bit\n" : "image: differs\n";
  }
  if (!records.first_difference.empty()) result.text += "first difference: " + records.first_difference + "\n";
  for (const std::string& change : records.changes) result.text += change + "\n";
  for (const auto& [old_name, new_name] : moved.outputs) {
    if (!fs::exists(old_name) || !fs::exists(new_name)) {
      result.text += fmt::format("{}: not there to compare\n", old_name);
      continue;
    }
    const bool same = describe_input(session.ctx, old_name).sha256 == describe_input(session.ctx, new_name).sha256;
    // The record of a run has its image's hash; other commands have their files alone.
    if (!records.same_image) {
      result.is_known = true;
      result.is_same = result.is_same && same;
    }
    result.text += fmt::format("{}: the file is {}\n", old_name, same ? "the same" : "another");
  }
  if (!result.is_known) {
    result.text += fmt::format("'{}' has no hash of its image, and its results are gone: there is nothing to compare\n",
                               run.result().filename().string());
  }
  return result;
}

void run_again(const std::string& record, const Session& session) {
  const RecordedRun run(record);
  if (run.command() == "rerun" || run.command() == "report") {
    throw ValueError(
        fmt::format("rerun: '{}' is the record of whorl {}, expected that of a result", record, run.command()));
  }
  const ResultFolder folder;
  const MovedRun again = moved(run, folder.path());
  const std::string first = run.result().filename().string();
  const auto found = std::find_if(again.outputs.begin(), again.outputs.end(),
                                  [&](const auto& names) { return fs::path(names.first).filename() == first; });
  if (found == again.outputs.end()) {
    throw ValueError(fmt::format("rerun: the recorded command has no output '{}'", first));
  }
  repeat(again, session);
  const Comparison result = compare_runs(session, run, again, record, record_path(found->second));
  if (!session.quiet) print(result.text);
  if (!result.is_known || !result.is_same) session.end_with(exit_findings);
}

constexpr const char* rerun_examples =
    R"(Repeats the recorded command, with its results in a temporary folder, and compares: the image to the bit, else which
input, option, array or iteration differs first. Names in the command are those of the recorded run: start it in the same folder.
Exit code: 0 the same, 3 another result or nothing to compare.
Examples:
  whorl rerun image.nii.gz.json         the run again
  whorl rerun image.nii.gz.json --device cpu
                                        on another device: images then differ by rounding)";

}  // namespace

Command rerun_command() {
  return {"rerun", "Repeat a recorded run, and say whether its image is the same to the bit", rerun_examples,
          [](App& app) -> Run {
            const auto record = std::make_shared<std::string>();
            app.add_input("record", *record, "Record of a run: the .json file beside its result")->required();
            return [record](const Session& session) { run_again(*record, session); };
          }};
}

}  // namespace whorl::cli

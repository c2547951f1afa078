// whorl doctor: what is wrong with a scan.
#include "whorl/doctor/examine.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file;
  std::string fixed;
  std::string json;
  ScanReadOptions read;
};

std::string to_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    text += fmt::format("{}: {}: {}.\n  confidence {:.2f}; remedy: {}\n", finding.is_fault ? "fault" : "note",
                        finding.check, finding.what, finding.confidence, finding.remedy);
  }
  for (const std::string& sentence : diagnosis.undecided) text += "not decided: " + sentence + "\n";
  if (!diagnosis.has_fault()) text += "nothing wrong was found\n";
  return text;
}

std::string to_json(const Options& options, const Diagnosis& diagnosis) {
  Json json{{"file", options.file}, {"has_fault", diagnosis.has_fault()}, {"findings", Json::array()}};
  for (const Finding& finding : diagnosis.findings) {
    json["findings"].push_back({{"check", finding.check},
                                {"is_fault", finding.is_fault},
                                {"what", finding.what},
                                {"value", finding.value},
                                {"unit", finding.unit},
                                {"confidence", finding.confidence},
                                {"remedy", finding.remedy},
                                {"mend", finding.mend_text}});
  }
  json["undecided"] = diagnosis.undecided;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_fixed(const Options& options, const Session& session, const Diagnosis& diagnosis) {
  RunRecord record = begin_record(session);
  session.files.check_written(options.fixed, files_of_scan(options.fixed));
  write_scan(session.ctx, diagnosis.mended, options.fixed);
  record.parameters = {{"trajectory_unit", diagnosis.mended.trajectory_unit}};
  for (const Finding& finding : diagnosis.findings) {
    if (!finding.mend_text.empty()) record.notes.emplace_back(fmt::format("{}: {}.", finding.check, finding.mend_text));
  }
  if (record.notes.empty()) record.notes.emplace_back("Nothing was changed.");
  write_record(session.ctx, record, record_path(options.fixed));
  if (session.quiet) return;
  std::string text;
  for (const std::string& note : record.notes) text += "changed: " + note + "\n";
  print(text + fmt::format("wrote {}\n", options.fixed));
}

void run(const Options& options, const Session& session) {
  const Diagnosis diagnosis = examine(session.ctx, read_scan(session.ctx, options.file, options.read));
  if (options.json == "-") {
    print(to_json(options, diagnosis));
  } else {
    if (!options.json.empty()) write_file(options.json, to_json(options, diagnosis));
    print(to_text(diagnosis));
  }
  if (!options.fixed.empty()) write_fixed(options, session, diagnosis);
  if (diagnosis.has_fault()) session.end_with(exit_findings);
}

constexpr const char* examples =
    R"(The exit code is 0 where nothing is wrong, 3 where a fault was found, 1 and 2 as for other commands.
Examples:
  whorl doctor scan.h5                  each fault with its number, its confidence and the option that mends it
  whorl doctor scan.h5 --fix mended.h5  also write the scan with all changes that are safe
  whorl doctor scan.h5 --json -         for programs
docs/howto/doctor.md says what is looked for, how, and what data cannot tell.)";

}  // namespace

Command doctor_command() {
  return {"doctor", "Say what is wrong with a scan: units, delays, spikes, coils, noise, and how to mend it", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("scan", options->file, "Scan, of any format that holds scans")->required();
            app.add_output("--fix", options->fixed, with_record(scan_output()),
                           fmt::format("Write the scan with the changes that are safe ({})", scan_extensions()));
            app.add_output("--json", options->json, json_output(), "Write the findings as JSON; -: to standard output");
            add_scan_options(app, options->read, [options] { return options->file; });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli

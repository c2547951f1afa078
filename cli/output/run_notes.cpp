#include "cli/output/run_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/print.hpp"
#include "whorl/core/note.hpp"

namespace whorl::cli {

namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t most_files = 3;

}  // namespace

RunRecord begin_record(const Session& session) {
  RunRecord record;
  record.command_line = session.command_line;
  for (const auto& file : session.files.to_read()) record.inputs.push_back(describe_input(session.ctx, file));
  record.outputs = session.files.to_write();
  return record;
}

void finish_run(const Session& session, const RunRecord& record) {
  write_record(session.working(), record, record_path(record.outputs.front()));
  print_run(session, record);
}

void print_run(const Session& session, const RunRecord& record) {
  if (session.quiet) return;
  const std::size_t files = std::min(record.outputs.size(), most_files);
  const std::size_t room = most_lines - files;
  Notes notes = by_weight(record.notes);
  // Most users know what was read, so this line takes the place of no note.
  const auto scan = std::find_if(record.parameters.begin(), record.parameters.end(),
                                 [](const auto& parameter) { return parameter.first == "scan"; });
  const bool names_scan = scan != record.parameters.end() && !record.inputs.empty() && notes.size() < room;
  const bool all = notes.size() <= room || record.outputs.empty();
  const std::size_t left_out = all ? 0 : notes.size() - (room - 1);
  // Doubts and answers stay. The last of the other notes say how the images came about; what comes first is about the file, and
  // whorl info says it too.
  const auto stay = static_cast<std::size_t>(
      std::count_if(notes.begin(), notes.end(), [](const Note& note) { return note.kind != NoteKind::fact; }));
  const auto first = notes.begin() + static_cast<std::ptrdiff_t>(std::min(stay, notes.size() - left_out));
  notes.erase(first, first + static_cast<std::ptrdiff_t>(left_out));
  std::string text;
  if (names_scan) text += fmt::format("read {}: {}\n", record.inputs.front().path, std::get<std::string>(scan->second));
  for (const std::string& note : notes) text += note + "\n";
  if (!all) text += fmt::format("{} more notes are in {}\n", left_out, record_path(record.outputs.front()).string());
  for (std::size_t i = 0; i < files; ++i) {
    const std::size_t others = record.outputs.size() - files;
    text += i + 1 == files && others > 0 ? fmt::format("wrote {} and {} more files\n", record.outputs[i], others)
                                         : fmt::format("wrote {}\n", record.outputs[i]);
  }
  print(text);
}

}  // namespace whorl::cli

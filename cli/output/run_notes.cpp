#include "cli/output/run_notes.hpp"

#include <fmt/format.h>

#include "cli/output/print.hpp"

namespace whorl::cli {

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
  std::string text;
  for (const std::string& note : record.notes) text += note + "\n";
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  print(text);
}

}  // namespace whorl::cli

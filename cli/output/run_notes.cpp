#include "cli/output/run_notes.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace whorl::cli {

void finish_run(const Session& session, const RunRecord& record) {
  write_record(session.working(), record, record_path(record.outputs.front()));
  if (session.quiet) return;
  std::string text;
  for (const std::string& note : record.notes) text += note + "\n";
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  std::fputs(text.c_str(), stdout);
}

}  // namespace whorl::cli

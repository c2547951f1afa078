// The report of a run from its record and the files that it names.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"

namespace whorl::cli {

/// Names of reports: .html.
OutputKind report_output();

/// Writes the page of a run. Throws as report_page and RecordedRun.
void make_report(const Session& session, const std::filesystem::path& record, const std::string& output);

}  // namespace whorl::cli

// What a command says when it is done.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

/// The record of a run as far as the command line says it: all files that the command reads, hashed, and its outputs.
/// Throws IoError naming a file, Cancelled.
RunRecord begin_record(const Session& session);

/// Prints the scan where the record describes one, notes and outputs, unless the session is quiet.
void print_run(const Session& session, const RunRecord& record);

/// Writes the record beside the first output, and prints it.
void finish_run(const Session& session, const RunRecord& record);

}  // namespace whorl::cli

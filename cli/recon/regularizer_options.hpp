// Regularizers of `whorl recon`.
#pragma once

#include "cli/command_line.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::cli {

/// Behind add_recon_options.
void add_regularizer_options(App& app, ReconOptions& options);

/// Cost and residuals of each iteration, for the record of a run.
RecordTable solver_table(const std::string& name, const SolverReport& report);

/// What the solver of regularizers did, in a sentence.
std::string regularizer_note(const ReconOptions& options, const std::vector<SolverReport>& reports);

}  // namespace whorl::cli

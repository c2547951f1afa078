// The options of a reconstruction.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// Group of the options of cg-sense.
inline constexpr const char* solver_group = "Solver (cg-sense)";

/// All but lambda (lambda_options.hpp).
void add_recon_options(App& app, ReconOptions& options);

/// The options by name, for the record of a run.
std::vector<std::pair<std::string, RunRecord::Value>> describe(const ReconOptions& options);

}  // namespace whorl::cli

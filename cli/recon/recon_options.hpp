// The options of a reconstruction.
#pragma once

#include "cli/options/table_options.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

/// Group of the options of cg-sense.
inline constexpr const char* solver_group = "Solver (cg-sense)";

/// All but lambda (lambda_options.hpp) and error bars (error_bar_options.hpp).
void add_recon_options(App& app, ReconOptions& options);

/// The options by name, for the record of a run.
Parameters describe(const ReconOptions& options);

}  // namespace whorl::cli

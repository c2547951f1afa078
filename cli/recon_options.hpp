// The options of a reconstruction.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "whorl/io/record.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::cli {

void add_recon_options(CLI::App& app, ReconOptions& options);

/// The options by name, for the record of a run.
std::vector<std::pair<std::string, RunRecord::Value>> describe(const ReconOptions& options);

}  // namespace whorl::cli

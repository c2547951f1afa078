// What `whorl recon --dry-run` says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/recon/recon_plan.hpp"

namespace whorl::cli {

/// Prints bytes and passes to standard output.
void print_plan(const Context& device, const ReconPlan& plan);

/// The seconds of each stage, and their sum.
void print_seconds(const Context& device, const std::vector<std::pair<std::string, double>>& stages,
                   const std::string& note);

}  // namespace whorl::cli

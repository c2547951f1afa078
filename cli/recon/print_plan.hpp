// What `whorl recon --dry-run` says.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/recon/recon_plan.hpp"

namespace whorl::cli {

/// Prints bytes, passes and predicted seconds to standard output.
void print_plan(const Context& device, const ReconPlan& plan);

}  // namespace whorl::cli

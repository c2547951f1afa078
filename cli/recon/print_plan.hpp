// What `whorl recon --dry-run` says.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/job/recon_job.hpp"

namespace whorl::cli {

/// Prints bytes and passes to standard output.
void print_plan(const Context& device, const JobPlan& found);

}  // namespace whorl::cli

// What `whorl recon --dry-run` says.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/recon/recon_plan.hpp"

namespace whorl::cli {

/// The most bytes of the device that arrays took so far, as the scan was read: cutting it into frames has its samples twice.
Index memory_of_reading(const Context& device);

/// Prints bytes and passes to standard output.
void print_plan(const Context& device, const ReconPlan& plan);

}  // namespace whorl::cli

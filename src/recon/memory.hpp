// What a reconstruction takes of a device's memory, and what follows from it.
#pragma once

#include "recon/memory_needs.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The options as a reconstruction with these needs takes them.
ReconOptions with_needs(const ReconOptions& given, const MemoryNeeds& needs);

/// With given tiles.
MemoryNeeds memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& given, const Tiles& tiles);

/// Checks scan and options. The needs of plan_tiles, or those of a plan that is given. Releases a kept plan that is another
/// scan's (ReconOptions::plans). Throws Error if that is more than the context may use: before anything is allocated.
MemoryNeeds checked_memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& options,
                                 const ReconPlan* plan);

}  // namespace whorl::recon

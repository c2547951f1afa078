// Private: the memory of a reconstruction, checked before anything is allocated.
#pragma once

#include "recon/memory_needs.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Checks scan and options, with a plan the frames alone: it was made of scan and options that were right. The needs of plan_tiles, or those of a plan that is given. Releases a kept plan that is another
/// scan's (ReconResources::plans). Throws Error if that is more than the context may use: before anything is allocated.
MemoryNeeds checked_memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& options,
                                 const ReconPlan* plan);

}  // namespace whorl::recon

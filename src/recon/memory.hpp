// What a reconstruction takes of a device's memory, and what follows from it.
#pragma once

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws Error where a reconstruction needs more than the context may use: before anything is asked for.
void check_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// How many frames of one trajectory are solved for together, and how many replicas of error bars: as many as fit beside
/// what one of them takes, and no more than bring something.
Index frames_together(const Context& ctx, const Scan& scan, const ReconOptions& options);
Index error_bar_batch(const Context& ctx, const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon

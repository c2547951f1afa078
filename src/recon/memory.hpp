// Memory that a reconstruction takes on a device, and what follows from it.
#pragma once

#include "recon/memory_needs.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The options as a reconstruction with these needs takes them.
ReconOptions with_needs(const ReconOptions& given, const MemoryNeeds& needs);

/// Plan of the memory with given tiles.
MemoryNeeds memory_needs(const Context& ctx, const Scan& scan, const ReconOptions& given, const Tiles& tiles);

}  // namespace whorl::recon

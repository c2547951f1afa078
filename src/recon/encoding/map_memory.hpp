// The memory of coil maps, with the transform and the images that they are made with.
#pragma once

#include "recon/memory_needs.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::recon {

/// Adds maps from the data of all frames of a slice, which are copied for them.
void add_joined_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
                     const ReconOptions& options, const Tiles& tiles);

/// Adds maps as the options ask for them, beside the `transform` of a frame.
void add_maps(const Context& ctx, MemoryPlan& plan, const Scan& scan, const ScanFrame& frame, Index coils,
              const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles);

}  // namespace whorl::recon

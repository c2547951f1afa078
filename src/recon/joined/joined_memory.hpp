// The memory of several scans that are solved together, in the place of that of one.
#pragma once

#include <complex>
#include <vector>

#include "recon/memory_needs.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// One of the scans of a reconstruction: the first, or a further one.
struct PlannedScan {
  const Scan& scan;
  ReconOptions options;
  ScanFrame largest;  ///< as largest_frame
  Index coils;        ///< after compression

  Index data_bytes() const { return coils * largest.trajectory->samples() * complex_bytes; }
};

/// All of them, the first with the options as they are.
std::vector<PlannedScan> planned_scans(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// The trajectories of each frame: one of each scan. Frames with equal ones have one encoding.
std::vector<std::vector<const Trajectory*>> trajectories_of_frames(const std::vector<PlannedScan>& scans);

/// Holds the copies of the further scans, which stand beside the caller's.
void hold_joined_copies(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans);

/// Adds what the further scans and the data of all take before there are maps. `trajectories`: as trajectories_of_frames.
void add_joined_preparation(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans,
                            const std::vector<std::vector<const Trajectory*>>& trajectories, const Tiles& tiles);

/// Adds the maps of all coils.
void add_joined_coil_maps(MemoryPlan& plan, const Context& ctx, const std::vector<PlannedScan>& scans);

}  // namespace whorl::recon

// The frames of a scan that one of several ranks reads.
#pragma once

#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// What decides which frames must have data on a rank.
enum class NeededData {
  all,            ///< nothing: coil compression takes the data of all frames
  by_index,       ///< the slices of the frames: frames_read_by
  by_trajectory,  ///< and the trajectories, by which frames with regularizers are grouped: known to reconstruct alone,
                  ///< which then reads (ReconOptions::frame_data)
};

NeededData needed_data(const ReconOptions& options);

/// Which frames of a scan must have data on this rank for a reconstruction with these options and ranks, where that is known
/// by_index: its own; the first of each of its slices, for coil maps, or all of these slices where maps come from all frames.
/// Of ranks that share the coils of a frame, one has the data, and sends them to the others. The data of the other frames may
/// have no samples. The scan needs neither trajectories nor data.
std::vector<bool> frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options);

}  // namespace whorl

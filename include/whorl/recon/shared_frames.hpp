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

/// Which frames of a scan are read by a rank.
struct FramesRead {
  std::vector<bool> positions;  ///< of the samples
  std::vector<bool> data;  ///< of these frames, or none: of ranks that share coils one has the data, and sends them
};

/// Which frames of a scan this rank needs for a reconstruction with these options and ranks, where that is known by_index: its
/// own; the first of each of its slices, for coil maps, or all of these slices where maps come from all frames. The data of the
/// others may have no samples. So may their trajectories, if the options have no saved normal operators and no signal. The
/// scan needs neither.
FramesRead frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options);

}  // namespace whorl

// The frames of a scan that one of several ranks reads.
#pragma once

#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Whether the frames that a rank needs depend on their trajectories, by which frames with regularizers are grouped. Then
/// reconstruct alone knows, and reads them (ReconResources::frame_data); else frames_read_by says it.
bool groups_by_trajectory(const ReconOptions& options);

/// Frames of a scan that a rank reads.
struct FramesRead {
  std::vector<bool> positions;  ///< of the samples
  std::vector<bool> data;  ///< of these frames, or none: of ranks that share coils one has the data, and sends them
};

/// Frames of a scan that this rank needs for a reconstruction with these options and ranks, unless it groups_by_trajectory: its
/// own; the first of each of its slices, for coil maps, or all of these slices where maps come from all frames. The data of the
/// others may have no samples. So may their trajectories, if the options have no saved normal operators and no signal. The
/// scan needs neither.
FramesRead frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& given);

}  // namespace whorl

// The frames of a scan that one of several ranks reads.
#pragma once

#include <span>
#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/image_frame.hpp"

namespace WHORL_PUBLIC whorl {

/// Which frames of a scan must have data on this rank for a reconstruction with these options and ranks: its own, the first
/// of each of its slices, for coil maps, and the first of all, for the noise. The data of the others may have no samples.
/// Regularizers, coil compression and maps from all frames need all data (reads_own_frames).
std::vector<bool> frames_read_by(const Communicator& ranks, std::span<const FrameIndex> frames,
                                 const ReconOptions& options);

/// Whether a reconstruction with these options needs the data of its own frames only, and those that frames_read_by adds.
bool reads_own_frames(const ReconOptions& options);

}  // namespace whorl

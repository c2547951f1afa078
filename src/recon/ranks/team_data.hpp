// The data of frames whose coils are spread over a team.
#pragma once

#include <complex>
#include <vector>

#include "recon/ranks/share.hpp"

namespace whorl::recon {

/// Collective in the team: the leader, which has the data of these frames, sends each rank those of its coils. They take the
/// place of what the rank had, on the context's device. Nothing is sent where all ranks have the data of all coils, or where
/// the team has one rank.
void scatter_coils(Run& run, const Context& ctx, Share& share, const std::vector<bool>& frames, Scan& scan);

/// The first of this rank's coils within the data of a frame, which are those of all coils or of its own.
Index first_coil(const Share& share, const ScanFrame& frame);

}  // namespace whorl::recon

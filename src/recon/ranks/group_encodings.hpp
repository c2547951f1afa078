// The encodings of frames that regularizers solve together, on a team of ranks.
#pragma once

#include <complex>
#include <functional>

#include "recon/encoding/encoding.hpp"
#include "recon/frame_groups.hpp"
#include "recon/ranks/share.hpp"
#include "recon/run.hpp"

namespace whorl::recon {

/// Takes the encoding of all frames of a group, and that whose largest eigenvalue is theirs: of frames with one trajectory
/// that of one frame.
using GroupWork = std::function<void(const Operator<float>& encoding, const Operator<float>& weighed)>;

/// Collective in the team, whose leader does the work (apply_together). `maps`: those of this rank's coils, of `coils` in all.
void with_group_encodings(Run& run, Share& share, Encodings& encodings, Array<std::complex<float>>& maps, Index coils,
                          const FrameGroup& group, const GroupWork& work);

}  // namespace whorl::recon

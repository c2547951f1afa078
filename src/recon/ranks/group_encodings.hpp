// The encodings of frames that regularizers solve together, on a team of ranks.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/frame_groups.hpp"
#include "recon/ranks/share.hpp"
#include "recon/ranks/spread_encoding.hpp"
#include "recon/run.hpp"

namespace whorl::recon {

/// Collective in the team: coil maps of this shape, all coils, which the leader makes, on all of its ranks.
CoilMaps team_maps(Run& run, Share& share, const Shape& all, const std::function<CoilMaps()>& make);
/// The maps of this rank's coils: copies where it has some of them.
Array<std::complex<float>> own_maps(const Run& run, const Share& share, Array<std::complex<float>>& maps);

/// Takes the encoding of all frames of a group, and that whose largest eigenvalue is theirs: of frames with one trajectory
/// that of one frame.
using GroupWork = std::function<void(const Operator<float>& encoding, const Operator<float>& weighed)>;

/// Collective in the team, whose leader does the work (apply_together). `maps`: those of this rank's coils, of `coils` in all.
void with_group_encodings(Run& run, Share& share, Encodings& encodings, Array<std::complex<float>>& maps, Index coils,
                          const FrameGroup& group, const GroupWork& work);

/// The groups of this rank's frames, of `together` frames at most. Frames whose
/// coils are spread over ranks are solved one after another, unless
/// regularizers hold them together: a team applies one encoding at a time.
std::vector<FrameGroup> solved_groups(const Scan& scan, const Share& share, Index together,
                                      const ReconOptions& options);

/// The part of each frame of a group, whose transforms are planned together.
/// `maps` and `coils` as above. The transforms of the group that comes next, or
/// of none, are planned meanwhile (Encodings::plan_ahead).
std::vector<EncodingPart> frame_parts(Run& run, const Share& share, Encodings& encodings,
                                      Array<std::complex<float>>& maps, Index coils, const FrameGroup& group,
                                      const FrameGroup* next);
/// The part of one frame, whose data are `known` to all ranks or not.
EncodingPart frame_part(Run& run, const Share& share, Encodings& encodings, Array<std::complex<float>>& maps,
                        Index coils, const ScanFrame& frame, bool known);

}  // namespace whorl::recon

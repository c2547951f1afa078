// Data that come without the positions of their samples: positions from another file.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "whorl/io/convert_options.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::io {

/// Positions of a file as a scan without data, and of a Pulseq file the sequence that it holds.
struct PlannedPositions {
  Scan scan;
  std::optional<PulseqReadouts> sequence{};
};

/// The positions of a file of any format that holds them: a scan, a Pulseq sequence, or arrays (one trajectory
/// among them), which take their matrix, field of view and unit from `image`; zeros are what the file says.
/// Throws  as read_scan and convert_scan
PlannedPositions read_trajectory(const Context& ctx, const std::filesystem::path& path, const ConvertOptions& image);

/// Gives the frames of a scan the trajectories of the frames of `plan` with the same counters. Where the counters differ
/// but their numbers do not, it takes those in the same place; an only frame of `plan` serves all. Positions are brought to the pixels of
/// the scan by the sizes of the pixels of both, which have to be alike where they are not known. Readouts of the scan stay
/// where the plan does not know them. Density weights of the scan are dropped.
///
/// Throws  ShapeError (frames that the plan does not have, other numbers of samples, readouts of another length, 2D and
///         3D), ValueError (other pixels of unknown size)
void replace_trajectory(const Context& ctx, Scan& scan, const Scan& plan);

/// Where the scan has one frame and `plan`, of a Pulseq sequence, several with as many samples in all: deals the samples
/// out to frames as those of the plan, in the order of acquisition.
void deal_out_frames(const Context& ctx, Scan& scan, const PlannedPositions& plan);

/// replace_trajectory by the file options.trajectory_from, whose positions are for the matrix and field of view of the scan, in
/// options.trajectory_unit. `readouts`: frames of the data's readouts in the order of acquisition; none: not known. They tell
/// those of a Pulseq sequence where its labels do not.
void replace_trajectory(const Context& ctx, Scan& scan, const ScanReadOptions& options,
                        const std::vector<FrameIndex>& readouts = {});

}  // namespace whorl::io

// Other frames from the readouts of a scan: joined, or cut from continuous data.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The counters by which frames of a slice differ. Those that do not count are 0 in the new frames.
struct FrameCounters {
  bool contrast = false;
  bool phase = false;
  bool repetition = false;
  bool set = false;

  friend bool operator==(const FrameCounters&, const FrameCounters&) = default;
};

/// Reads the names of counters, "none" (all readouts of a slice are one frame), or "all".
/// Throws ValueError, listing the names.
FrameCounters frame_counters(std::span<const std::string> names);

/// Frames that differ in other counters than these become one, with their readouts one after another in the order of the
/// frames. New frames with equal readouts share their trajectory. Density weights are dropped, since those of a part are
/// not those of the whole; a note says so. Scans of which nothing is joined stay as they are.
///
/// Throws  ValueError (frames of one slice at different places, readouts of different length that are unknown), Cancelled
Scan join_frames(const Context& ctx, Scan scan, const FrameCounters& by);

/// Each frame becomes frames of `readouts` consecutive readouts, the next one `step` readouts later (0: `readouts`, so
/// that they do not overlap). Readouts at the end that fill no frame are left out; a note says how many. The repetition
/// counts the new frames of a slice. Where the time from readout to readout is known, so is that from frame to frame.
///
/// Throws  ValueError (a frame with fewer readouts or an unknown readout length, a step below 0), Cancelled
Scan split_frames(const Context& ctx, Scan scan, Index readouts, Index step = 0);

/// The readouts of a scan with one frame per slice, sorted into bins: readout r of slice s goes to bin bins[s][r], or
/// nowhere where that is negative. Bin b becomes the frame of phase b.
///
/// Shapes  bins [slice, readout], the slices in the order of the frames
/// Throws  ValueError (several frames of a slice, another number of bins than readouts, a bin without readouts), Cancelled
Scan bin_frames(const Context& ctx, Scan scan, const std::vector<std::vector<int>>& bins, int count);

/// The readouts of a frame. Throws ValueError, naming `operation`, where their length is unknown.
Index readouts_of(const ScanFrame& frame, const std::string& operation);

}  // namespace whorl

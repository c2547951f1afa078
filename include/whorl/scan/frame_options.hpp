// Choices by which the frames of a scan are made from its readouts, before a reconstruction.
#pragma once

#include <string>
#include <vector>

#include "whorl/scan/regroup.hpp"
#include "whorl/scan/self_gating.hpp"

namespace WHORL_PUBLIC whorl {

struct FrameOptions {
  std::vector<std::string> by{};   ///< the counters that tell frames apart (frame_counters); none: those of the file
  Index readouts = 0;              ///< of a frame (split_frames); 0: all that it has
  Index step = 0;                  ///< readouts from one frame to the next; 0: `readouts`
  double readout_interval_ms = 0;  ///< from one readout to the next; 0: that of the scan
  GatingOptions gating{};          ///< frames by the motion, from all readouts of a slice unless `by` says otherwise

  /// Whether frames are made anew.
  bool any() const { return !by.empty() || readouts > 0 || gating.bins > 0; }
};

template <>
WHORL_PUBLIC const OptionTable<FrameOptions>& option_table<FrameOptions>();

/// The scan with the frames that the options ask for: joined, then gated or cut. Signals and bins are those of gating. Soft
/// gating gives the scan its sample weights (gating_weights).
///
/// Throws  ValueError (a trajectory without data to gate, gating and a number of readouts together, new frames of a scan with
///         sample weights), and as join_frames, split_frames, gate and gating_signal
GatedScan make_frames(const Context& ctx, Scan scan, const FrameOptions& options);

}  // namespace whorl

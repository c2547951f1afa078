// Gradient delays of a scan.
#pragma once

#include "whorl/correct/estimate_delays.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The readouts of all frames at their places with these delays (delayed). Frames that share a trajectory still do.
/// Throws as delayed.
void undo_delays(const Context& ctx, Scan& scan, const GradientDelays& delays);

/// What estimate_delays finds of frames whose image axes have the directions of the given one's: of up to five of them, evenly
/// chosen. Throws likewise.
DelayEstimate estimate_delays(const Context& ctx, const Scan& scan, const ScanFrame& like);

/// Undoes the delays that are found for each direction of the frames. Where an estimate is in doubt or not
/// significant (DelayEstimate), these frames stay as they are. A note for each direction says what was done. Throws as estimate_delays.
void undo_estimated_delays(const Context& ctx, Scan& scan);

/// "x,y,xy" of an image in 2D, "x,y,z,xy,xz,yz" in 3D, in samples.
std::string text_of(const GradientDelays& delays, int dim);

}  // namespace whorl

// The data that coil maps of a slice are estimated from.
#pragma once

#include <complex>
#include <memory>

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Whether the options ask for the data of all frames of a slice, and it has several.
bool joins_frames(const Scan& scan, const ScanFrame& frame, const ReconOptions& options);

/// The positions of all frames of the slice of `frame`, on the host; for ESPIRiT those in the calibration region alone.
std::shared_ptr<const Trajectory> joined_trajectory(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                                    const ReconOptions& options);

/// The frame of joined_trajectory with its data, on the context's device, from there or from the host: by least squares, the average of
/// the frames over time.
ScanFrame joined_frame(const Context& ctx, const Scan& scan, const ScanFrame& frame, const ReconOptions& options);

}  // namespace whorl::recon

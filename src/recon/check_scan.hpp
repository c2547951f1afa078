// Checks of a scan and its options before a reconstruction.
#pragma once

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws ValueError or ShapeError where the scan does not fit itself or the options are out of range.
void check_scan(const Scan& scan, const ReconOptions& options);

/// Throws ShapeError or ValueError where the frames of a scan do not fit it: a part of check_scan.
void check_frames(const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon

// Whether scans can be solved together.
#pragma once

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The options of one of several scans, by itself.
ReconOptions options_of(const ReconOptions& all, const JointScan& scan);

/// Throws ValueError where the options have further scans, and what does not go with them, or these lie at another place.
void check_joined(const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon

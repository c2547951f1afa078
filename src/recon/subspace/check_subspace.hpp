// What a reconstruction within a subspace refuses.
#pragma once

#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws ValueError (options that do not go with the subspace of the options, slices with another number of frames than its
/// basis), ShapeError (its basis).
void check_subspace(const Scan& scan, const ReconOptions& options);

}  // namespace whorl::recon

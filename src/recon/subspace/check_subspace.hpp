// What a reconstruction within a subspace refuses.
#pragma once

#include "whorl/recon/subspace.hpp"

namespace whorl::recon {

/// Throws what reconstruct_subspace throws but for memory: ValueError (options that do not go with a subspace, slices with another number of frames than the basis), ShapeError.
void check_subspace(const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options);

}  // namespace whorl::recon

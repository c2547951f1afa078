// The subspace of a request: its basis, and its frames.
#pragma once

#include <complex>
#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/job/request.hpp"
#include "whorl/recon/reconstruction.hpp"

namespace whorl::job {

/// The basis for the frames of a scan. Collective: the first rank makes it for all.
SubspaceBasis subspace_basis(const Context& ctx, Communicator& ranks, const SubspaceRequest& request, const Scan& scan);

/// All frames of the coefficients, slice by slice [slice and frame, z, y, x], and their places.
struct SubspaceFrames {
  Array<std::complex<float>> images;
  std::vector<ImageFrame> frames;
};
SubspaceFrames all_subspace_frames(const Context& ctx, const Reconstruction& coefficients, const SubspaceBasis& basis);

}  // namespace whorl::job

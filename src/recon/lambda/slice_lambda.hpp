// The lambda of a slice.
#pragma once

#include <string>
#include <vector>

#include "recon/stage_clock.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::recon {

/// The lambda that was chosen for the frame's slice; chooses it by this frame, and keeps it, where there is none yet.
double slice_lambda(const Context& ctx, const RegularizedModel<float>& model, const ScanFrame& frame,
                    const LambdaSearchOptions& options, std::vector<SliceLambda>& lambdas, StageClock& clock);

/// What was chosen and why, for people: of the first slice, and the range of all.
void note_lambdas(const std::vector<SliceLambda>& lambdas, std::vector<std::string>& notes);

}  // namespace whorl::recon

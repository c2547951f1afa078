// Reconstruction by least squares.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "recon/encoding.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl::recon {

/// Called with what an image was solved by, after it was.
using ModelUse = std::function<void(const RegularizedModel<float>& model, double lambda)>;

/// CG-SENSE of one frame into `image` [(z,) y, x], with maps [coil, (z,) y, x]; `title` names it in the progress.
/// The largest eigenvalue of the normal operator is found when `*eigenvalue` is 0, and kept there; so is the lambda of
/// the frame's slice in `lambdas` where the options ask for its choice.
SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      ArrayRef<const std::complex<float>> maps, const LinearOperator<float>& transform,
                      const ReconOptions& options, double* eigenvalue, std::vector<SliceLambda>& lambdas,
                      StageClock& clock, ArrayRef<std::complex<float>> image, const ModelUse& use_model);

}  // namespace whorl::recon

// Reconstruction by least squares.
#pragma once

#include <complex>

#include "recon/encoding.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl::recon {

/// CG-SENSE of one frame into `image` [(z,) y, x], with maps [coil, (z,) y, x]; `title` names it in the progress.
/// The largest eigenvalue of the normal operator is found when `*eigenvalue` is 0, and kept there.
SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      ArrayRef<const std::complex<float>> maps, const LinearOperator<float>& transform,
                      const ReconOptions& options, double* eigenvalue, StageClock& clock,
                      ArrayRef<std::complex<float>> image);

}  // namespace whorl::recon

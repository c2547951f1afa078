// Reconstruction by least squares.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "recon/encoding/encoding.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl::recon {

/// Called with what an image was solved by, after it was.
using ModelUse = std::function<void(const RegularizedModel<float>& model, double lambda)>;

/// What the frames of one slice have in common.
struct SliceModel {
  ArrayRef<const std::complex<float>> maps;  ///< [coil, (z,) y, x]
  const LinearOperator<float>* penalty;      ///< W of RegularizedModel
  double& eigenvalue;                        ///< the largest of the normal operator: found where it is 0, and kept
  std::vector<SliceLambda>& lambdas;         ///< of all slices: chosen where the options ask for that, and kept
};

/// CG-SENSE of one frame into `image` [(z,) y, x]; `title` names it in the progress.
SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      const LinearOperator<float>& transform, const SliceModel& slice, const ReconOptions& options,
                      StageClock& clock, ArrayRef<std::complex<float>> image, const ModelUse& use_model);

}  // namespace whorl::recon

// What least squares holds an image to, beside its data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recon/stage_clock.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The W of the options' penalty for one frame after the other. Weights from references belong to a place, and are made
/// once for the frames that come one after another there.
class Penalty {
 public:
  Penalty(const Scan& scan, const ReconOptions& options) : scan_(scan), options_(options) {}

  /// None for Tikhonov's. Says in `notes` what the references show and how much of the image they cover, for the first
  /// place and for those of which they cover less.
  const LinearOperator<float>* at(const Context& ctx, const ScanFrame& frame, StageClock& clock,
                                  std::vector<std::string>& notes);

 private:
  Array<float> weights_at(const Context& ctx, const ScanFrame& frame, std::vector<std::string>& notes);

  const Scan& scan_;
  const ReconOptions& options_;
  Geometry place_;
  Array<float> weights_;
  std::unique_ptr<const WeightedDifferences<float>> differences_;
  std::vector<double> least_covered_;  // of each reference
};

/// Bytes of array memory on the context's device that a penalty keeps, and that making it takes besides.
struct PenaltyMemory {
  Index kept = 0;
  Index making = 0;
};
PenaltyMemory penalty_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// Throws ValueError where references are missing, or asked of what has no use for them.
void check_penalty(const ReconOptions& options);

}  // namespace whorl::recon

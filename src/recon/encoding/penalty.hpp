// Penalty that holds an image of least squares, beside its data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "recon/least_squares_recon.hpp"
#include "recon/run.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// The penalty of the options for one frame after the other. Weights from references belong to a place, and are made
/// once for the frames that come one after another there.
class Penalty {
 public:
  Penalty(const Scan& scan, const ReconOptions& options);

  /// Its terms at a frame's place. Says what the references show and how much of the image they cover, for the first
  /// place and for those of which they cover less.
  std::vector<QuadraticPenalty<float>> at(Run& run, const ScanFrame& frame);

  /// Moves the references of a frame's slice to where its data have the object, by an image of ten steps without a penalty. It
  /// does that once for a slice, and only if the options ask for it. Says where.
  void align(Run& run, const RegularizedModel<float>& model, const ScanFrame& frame);

 private:
  Array<float> weights_at(Run& run, const ScanFrame& frame);

  const Scan& scan_;
  const ReconOptions& options_;
  Geometry place_;
  int slice_ = 0;
  Operator<float> differences_;  // at that place, of that slice
  std::map<int, std::vector<Affine>> own_;
  std::map<int, std::vector<Affine>>& aligned_;  // where the references of each slice lie; those of KeptPlans or own
  std::vector<double> least_covered_;            // of each reference
};

/// Bytes at the peak of the alignment of references, beside a frame's data, maps and transform.
Index alignment_memory(const LeastSquaresSizes& sizes, const ReconOptions& options);

StageMemory penalty_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// Throws ValueError where references are missing, or asked of what has no use for them.
void check_penalty(const ReconOptions& options);

}  // namespace whorl::recon

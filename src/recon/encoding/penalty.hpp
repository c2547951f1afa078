// What least squares holds an image to, beside its data.
#pragma once

#include <memory>
#include <string>
#include <vector>

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
  Penalty(const Scan& scan, const ReconOptions& options)
      : scan_(scan), options_(options), references_(options.references) {}

  /// Its terms at a frame's place. Says what the references show and how much of the image they cover, for the first
  /// place and for those of which they cover less.
  std::vector<QuadraticPenalty<float>> at(Run& run, const ScanFrame& frame);

  /// Moves the references to where a frame's data have the object, by an image of ten steps without a penalty, if the options
  /// ask for that. Those of the frames from here on lie there. Says where.
  void align(Run& run, const RegularizedModel<float>& model, const ScanFrame& frame);

 private:
  Array<float> weights_at(Run& run, const ScanFrame& frame);

  const Scan& scan_;
  const ReconOptions& options_;
  Geometry place_;
  Operator<float> differences_;
  std::vector<std::shared_ptr<const ReferenceImage>> references_;
  std::vector<double> least_covered_;  // of each reference
};

StageMemory penalty_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// Throws ValueError where references are missing, or asked of what has no use for them.
void check_penalty(const ReconOptions& options);

}  // namespace whorl::recon

// The encoding of one trajectory: its transform and density weights, made once and used for every frame that has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recon/stage_clock.hpp"
#include "whorl/io/scan.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::recon {

/// Options of the transform that a method needs: the normal operator is worth planning where it is applied often. The
/// same on every device, so that an image does not depend on where it was made.
NufftOptions transform_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options);

/// Keeps the encoding of the trajectory used last: frames that share one come one after another in nearly all scans.
class Encodings {
 public:
  Encodings(const Scan& scan, const ReconOptions& options) : scan_(scan), options_(options) {}

  /// For all coils of the scan.
  const Nufft<float>& nufft(const Context& ctx, const ScanFrame& frame, StageClock& clock);
  /// Density weights [sample] as the options ask for them; says in `notes`, once, which and how good they are.
  const Array<float>& weights(const Context& ctx, const ScanFrame& frame, StageClock& clock,
                              std::vector<std::string>& notes);

 private:
  const Scan& scan_;
  const ReconOptions& options_;
  std::shared_ptr<const Trajectory> planned_;
  std::unique_ptr<const Nufft<float>> nufft_;
  std::shared_ptr<const Trajectory> weighted_;
  Array<float> weights_;
};

}  // namespace whorl::recon

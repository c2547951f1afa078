// The encoding of one trajectory: its transform and density weights, made once and used for every frame that has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recon/stage_clock.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Options of the transform that a method needs: the normal operator is worth planning where it is applied often. The
/// transform itself is the same on every device.
NufftOptions transform_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options);

/// Memory of the transform that a method needs, whichever it is.
NufftMemory transform_memory(const Context& ctx, const Shape& image, Index samples, Index coils,
                             const ReconOptions& options);

/// What the options fixed of transform and normal operator, in sentences; nothing where all is as ever.
std::vector<std::string> describe_transform(const Scan& scan, const ReconOptions& options);

/// Keeps the encoding of the trajectory used last: frames that share one come one after another in nearly all scans.
class Encodings {
 public:
  Encodings(const Scan& scan, const ReconOptions& options) : scan_(scan), options_(options) {}

  /// For all coils of the scan: a Nufft, or a Dft.
  const LinearOperator<float>& transform(const Context& ctx, const ScanFrame& frame, StageClock& clock);
  /// Density weights [sample] as the options ask for them; says in `notes`, once, which and how good they are.
  const Array<float>& weights(const Context& ctx, const ScanFrame& frame, StageClock& clock,
                              std::vector<std::string>& notes);
  /// Those that the scale of gridded images of the same frame is found with (gridding_scale.hpp).
  const Array<float>& scale_weights() const { return scale_weights_; }
  /// The normal operators that were to be kept.
  SavedNormals take_normals() { return std::move(kept_); }

 private:
  // That of a trajectory, on the context's device: given, kept before, or made.
  NormalSpectrum<float> normal(const Context& ctx, const Trajectory& trajectory, StageClock& clock);
  void keep(const Context& ctx, const Trajectory& trajectory, const NormalSpectrum<float>& normal);
  std::unique_ptr<const LinearOperator<float>> plan(const Context& ctx, const Trajectory& trajectory,
                                                    const NormalSpectrum<float>* normal) const;

  const Scan& scan_;
  const ReconOptions& options_;
  std::shared_ptr<const Trajectory> planned_;
  std::unique_ptr<const LinearOperator<float>> transform_;
  SavedNormals kept_;
  std::shared_ptr<const Trajectory> weighted_;
  Array<float> weights_;
  Array<float> scale_weights_;
};

}  // namespace whorl::recon

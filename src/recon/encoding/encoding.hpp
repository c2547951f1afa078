// The encoding of one trajectory: its transform and density weights, made once and used for every frame that has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/gridding_scale.hpp"
#include "recon/run.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/op/normal_spectrum.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Options of the transform that a method needs: the normal operator is worth planning where it is applied often. The
/// transform itself is the same on every device.
NufftOptions transform_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options);

/// Memory of the transform that a method needs, whichever it is.
NufftMemory transform_memory(const Context& ctx, const Shape& image, ArrayRef<const double> points, Index coils,
                             const ReconOptions& options);

/// Whether the options keep the plan of a frame's transform from an earlier reconstruction.
bool plan_is_kept(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                  const ReconOptions& options);

/// What the options fixed of transform and normal operator, in sentences; nothing where all is as ever.
std::vector<std::string> describe_transform(const Scan& scan, const ReconOptions& options);

/// Keeps the encoding of the trajectory used last: frames that share one come one after another in nearly all scans.
class Encodings {
 public:
  /// `spill`: where the grid of density weights goes, which are made on the host then; null: they are made on the device.
  /// `single`: transforms take the coils one at a time.
  Encodings(const Scan& scan, const ReconOptions& options, const Spill* spill = nullptr, bool single = false)
      : scan_(scan), options_(options), spill_(spill), single_(single) {}

  /// For all coils of the scan: a Nufft, or a Dft; of a signal that evolves where the options have maps of that.
  const CoilTransform& transform(Run& run, const ScanFrame& frame);
  /// Density weights as the options ask for them, and what the scale of gridded images is found with; says, once, which
  /// they are and how good. The transform of another trajectory is released before: so ask for weights first where both are
  /// needed.
  const GriddingWeights& weights(Run& run, const ScanFrame& frame);
  /// The normal operators that were to be kept.
  SavedNormals take_normals() { return std::move(kept_); }

 private:
  // Plans the transform of its trajectory, if it is not that of the frame before.
  void plan_for(Run& run, const ScanFrame& frame);
  void release_transform();
  // The same plan, where coils are to be taken so.
  void take_single_coils();
  // Of the factors of a signal that evolves, for its normal operator; null where adjoint after forward is faster.
  std::shared_ptr<const SubspaceSpectra<float>> evolution_spectra(Run& run, const Trajectory& trajectory,
                                                                  const EvolutionFactors<float>& factors,
                                                                  bool first) const;
  // That of a trajectory, on the context's device: given, kept before, or made.
  NormalSpectrum<float> normal(Run& run, const Trajectory& trajectory);
  void keep(const Context& ctx, const Trajectory& trajectory, const NormalSpectrum<float>& normal);
  CoilTransform plan(const Context& ctx, const Trajectory& trajectory, const NormalSpectrum<float>* normal) const;

  const Scan& scan_;
  const ReconOptions& options_;
  const Spill* spill_;
  bool single_;
  std::shared_ptr<const Trajectory> planned_;
  std::shared_ptr<const CoilTransform> transform_;
  Geometry place_;                                 // of evolving_
  std::unique_ptr<const CoilTransform> evolving_;  // transform_, with the evolution at a place
  bool said_signal_ = false;
  SavedNormals kept_;
  std::shared_ptr<const Trajectory> weighted_;
  GriddingWeights weights_;
};

}  // namespace whorl::recon

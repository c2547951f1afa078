// The encoding of one trajectory: its transform and density weights, made once and used for every frame that has it.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "recon/encoding/coil_transform.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/encoding/plan_ahead.hpp"
#include "recon/frame_groups.hpp"
#include "recon/gridding/gridding_scale.hpp"
#include "recon/memory_needs.hpp"
#include "recon/run.hpp"
#include "recon/tiles/spill.hpp"
#include "whorl/core/note.hpp"
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

/// Sentences on what the options fixed of transform and normal operator; none if all is default.
Notes describe_transform(const Scan& scan, const ReconOptions& options);

/// Keeps the encodings of the group of frames planned last, or of the
/// trajectory used last: frames that share one come one after another in nearly
/// all scans.
class Encodings {
 public:
  /// `tiles`: whether transforms take the coils one at a time, and whether
  /// all that they take lies in files. `spill`: where the grid of density
  /// weights goes, which are made on the host then; null: they are made on the
  /// device. `ahead`: there is memory for transforms that are planned ahead.
  Encodings(const Scan& scan, const ReconOptions& options, const Tiles& tiles = {}, const Spill* spill = nullptr,
            bool ahead = false)
      : scan_(scan), options_(options), tiles_(tiles), spill_(spill), may_plan_ahead_(ahead) {}

  /// One of several scans that are solved together: its frames, in the order of those of the whole, and its first coil among
  /// those of all.
  struct Part {
    const Scan* scan;
    Encodings* encodings;
    Index first_coil = 0;
  };

  /// From now on those of a scan of several (JoinedScans), which live as long as this.
  void join(std::vector<Part> parts) { parts_ = std::move(parts); }
  /// From one image to the data of a frame, by way of coil maps [coil, (z,) y, x]: of several scans to those of each, one after
  /// another (stack).
  Operator<float> encoding(Run& run, const ScanFrame& frame, Array<std::complex<float>>& maps);
  /// The data of a frame, of each scan.
  std::vector<FramePart> parts_of(const Context& ctx, const ScanFrame& frame,
                                  ArrayRef<const std::complex<float>> maps) const;

  /// Plans the transforms of all trajectories of a group, on a CPU one in each
  /// thread, and keeps these alone.
  void plan(Run& run, const FrameGroup& group);
  /// Begins to plan the transforms of the group that comes next, while the
  /// context's thread does other work. On a CPU, whose threads are all at work,
  /// nothing.
  void plan_ahead(Run& run, const FrameGroup& next);
  /// For all coils of the scan: a Nufft, or a Dft; of a signal that evolves where the options have maps of that.
  const CoilTransform& transform(Run& run, const ScanFrame& frame);
  /// Density weights as the options ask for them, and what the scale of gridded images is found with; says, once, which
  /// they are and how good. The transform of another trajectory is released before: so ask for weights first where both are
  /// needed.
  const GriddingWeights& weights(Run& run, const ScanFrame& frame);
  /// The normal operators that were to be kept.
  SavedNormals take_normals() { return std::move(kept_); }

 private:
  // A frame as one of several scans has it.
  const ScanFrame& frame_in(const Part& part, const ScanFrame& frame) const {
    return part.scan->frames[static_cast<std::size_t>(&frame - scan_.frames.data())];
  }

  // The transform of one trajectory.
  struct Planned {
    std::shared_ptr<const Trajectory> trajectory;
    std::shared_ptr<const CoilTransform> transform{};
    Geometry place{};                                 // of evolving
    std::unique_ptr<const CoilTransform> evolving{};  // the transform, with the evolution at a place
  };

  Planned* find(const ScanFrame& frame);
  bool is_listed(const std::shared_ptr<const Trajectory>& trajectory) const;
  // Keeps those of some frames alone.
  void release_others(const Context& ctx, std::span<const ScanFrame> frames);
  void take_planned_ahead(Run& run);
  // The transform as the tiles have it work.
  void tile(Planned& planned) const;
  // Makes those that have no transform.
  void plan_missing(Run& run);
  void make(Run& run, const std::vector<Planned*>& missing);
  // Spectra of the factors of a signal that evolves, for its normal operator; null where adjoint after forward is faster.
  std::shared_ptr<const SubspaceSpectra<float>> evolution_spectra(Run& run, const Trajectory& trajectory,
                                                                  const EvolutionFactors<float>& factors,
                                                                  bool first) const;
  // Spectrum of a trajectory, on the context's device: given, kept before, or made.
  NormalSpectrum<float> normal(Run& run, const Trajectory& trajectory);
  void keep(const Context& ctx, const Trajectory& trajectory, const NormalSpectrum<float>& normal);
  std::shared_ptr<const CoilTransform> make(const Context& ctx, const Trajectory& trajectory,
                                            const NormalSpectrum<float>* normal) const;

  const Scan& scan_;
  const ReconOptions& options_;
  Tiles tiles_;
  const Spill* spill_;
  bool may_plan_ahead_;
  std::vector<Part> parts_;  // none: one scan alone
  std::vector<Planned> planned_;
  bool said_signal_ = false;
  SavedNormals kept_;
  std::shared_ptr<const Trajectory> weighted_;
  GriddingWeights weights_;
  PlanAhead ahead_;  // the last member: its thread uses the others
};

}  // namespace whorl::recon

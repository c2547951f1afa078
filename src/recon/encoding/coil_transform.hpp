// The transform of a trajectory, for all coils and for one image as they see it.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <utility>

#include "recon/tiles/staged_operator.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/signal_evolution.hpp"

namespace whorl::recon {

/// Transform from images to the samples of one trajectory.
class CoilTransform {
 public:
  explicit CoilTransform(std::shared_ptr<const Nufft<float>> nufft);
  explicit CoilTransform(std::shared_ptr<const Dft<float>> dft);

  /// The transform of a signal that evolves during the readout. Shares the plan. `spectra`: of the transform with the factors'
  /// courses, for the normal operator of one image; null: adjoint after forward.
  CoilTransform evolving(EvolutionFactors<float> factors, std::shared_ptr<const SubspaceSpectra<float>> spectra) const;

  /// The transform that takes coils one at a time, where a Nufft alone transforms them: that of one image adds up the coils' images.
  CoilTransform taking_single_coils() const;

  /// The transform of a CPU, whose work takes place in files of a folder (Context::spilled).
  CoilTransform in_files(const std::string& folder) const;

  /// Images of the coils [coil, (z,) y, x] to data [coil, sample].
  const LinearOperator<float>& of_coils() const { return *of_coils_; }
  /// Whether a Nufft alone transforms them, and of_some_coils may be asked for.
  bool takes_some_coils() const { return nufft_ != nullptr && factors_ == nullptr; }
  /// The transform of some coils.
  Operator<float> of_some_coils(Index coils) const { return placed(Nufft<float>(*nufft_, coils)); }
  /// One image [(z,) y, x] to data, by way of coil maps [coil, (z,) y, x]: of all coils, or of some, which share the plan.
  /// Maps on the host of a GPU's transform are taken in tiles of coils_at_once().
  Operator<float> of_image(Array<std::complex<float>> maps) const;
  /// Number of coils that are transformed at a time.
  Index coils_at_once() const;

 private:
  Operator<float> placed(Operator<float> op) const { return files_ ? working_in_files(std::move(op), *files_) : op; }
  Operator<float> encoding_of(Array<std::complex<float>> maps) const;

  Operator<float> of_coils_;
  std::shared_ptr<const Nufft<float>> nufft_;  // the same, where it is one: it takes the maps along
  std::shared_ptr<const Dft<float>> dft_;      // the same, where it is one
  Operator<float> resting_;                    // the same without evolution
  std::shared_ptr<EvolutionFactors<float>> factors_;
  std::shared_ptr<const SubspaceSpectra<float>> spectra_;
  bool single_ = false;
  std::optional<std::string> files_{};  // the folder
};

}  // namespace whorl::recon

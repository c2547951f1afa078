// The signal during the readout: off-resonance, decay, the concomitant field of the gradients; how much each sample counts.
#pragma once

#include <memory>
#include <optional>

#include "whorl/core/option_table.hpp"
#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/sample_weights.hpp"

namespace WHORL_PUBLIC whorl {

/// Maps of what the signal does between time 0 and its sample at t: exp(-(R2* + 2 pi i f) t). The image is the object at
/// time 0 (docs/howto/off-resonance.md).
///
/// The maps are resampled to the geometry of each frame (prior/reference_image.hpp), and 0 where they do not reach.
struct SignalOptions {
  std::shared_ptr<const ReferenceImage> field_map{};  ///< off-resonance f in Hz; none: 0
  std::shared_ptr<const ReferenceImage> r2_star{};    ///< R2* in 1/s, 0 or more; none: 0
  std::optional<double> dwell_us{};                   ///< time between samples; none: the scan's
  std::optional<double> readout_start_us{};           ///< time of the first sample of each readout; none: the scan's
  /// Larmor frequency, gamma B_0 / (2 pi), at which the gradients' concomitant field is corrected
  /// (correct/concomitant_field.hpp); none: it is not.
  std::optional<double> larmor_mhz{};
  double tolerance =
      1e-3;  ///< relative l2 error of the sum of products in place of the exponential (evolution_factors)

  /// Weights of the samples (weigh_samples), for cg_sense and nlinv; none: all alike. With W = diag(w), the encoding
  /// is W^(1/2) A and its data are W^(1/2) d, from the coil maps to the error bars.
  std::shared_ptr<const SampleWeights> weights{};

  /// Whether samples differ in more than their positions.
  bool any() const { return changes() || weights != nullptr; }
  /// Whether the signal changes during the readout.
  bool changes() const { return has_maps() || larmor_mhz; }
  bool has_maps() const { return field_map != nullptr || r2_star != nullptr; }
};

template <>
WHORL_PUBLIC const OptionTable<SignalOptions>& option_table<SignalOptions>();

}  // namespace whorl

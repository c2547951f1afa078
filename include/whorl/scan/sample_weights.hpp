// Soft gating: how much each sample counts in least squares.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Weights w of the samples of a scan's trajectories: least squares minimizes sum_j w_j |(A x)_j - d_j|^2. A weight is the
/// precision of its sample, the inverse of the variance of its noise, in units of that of the prewhitened data.
struct SampleWeights {
  /// A trajectory of the scan, and its weights [sample], on the host.
  std::vector<std::pair<std::shared_ptr<const Trajectory>, Array<float>>> trajectories{};

  /// Weights of a trajectory, by its address; null: it has none.
  const Array<float>* of(const Trajectory& trajectory) const;
};

/// Weights for the frames of a scan, in their order. Frames that share a trajectory, but not their weights, get copies of
/// it. A note says how many readouts of full weight they are worth.
///
/// Shapes   [readout], all readouts of the first frame, then those of the second, ...; or [sample], likewise. Axes in front
///          ([frame, readout]) are taken one after another.
/// Throws   ShapeError (another count), ValueError (weights that are negative or not finite, a frame without a weight above
///          0, weights per readout where readouts have unequal lengths)
/// Source   soft gating: Johnson, Block, Reeder, Samsonov, "Improved least squares MR image reconstruction using estimates
///          of k-space data consistency", Magn Reson Med 67:1600 (2012)
std::shared_ptr<const SampleWeights> weigh_samples(const Context& ctx, Scan& scan, ArrayRef<const double> weights);

}  // namespace whorl

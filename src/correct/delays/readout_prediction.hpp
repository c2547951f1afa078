// Private: how well readouts predict others.
#pragma once

#include <array>
#include <vector>

#include "correct/center_fit.hpp"
#include "whorl/correct/delay_estimate.hpp"

namespace whorl::detail {

/// Predicts every fourth readout of a frame from the others, near the center of k-space: an image of the field of view is
/// fitted to these (CenterModel). With fewer than 8 readouts it predicts single samples.
///
/// Few spokes predict another one only near the center, where they lie within a cycle of each other.
class ReadoutPrediction {
 public:
  ReadoutPrediction(const DelayFrame& frame, const Shape& image);

  /// False: too few samples near the center.
  bool is_known() const { return !samples_.empty(); }
  /// |y|^2 of the samples that are predicted.
  double energy() const { return energy_; }
  /// |y - predicted|^2 with the samples at the places of another trajectory.
  double left(const Context& ctx, const Trajectory& places) const;

 private:
  std::array<double, 3> place(const Trajectory& trajectory, Index sample) const;

  int dim_;
  std::array<double, 3> extent_{1, 1, 1};
  std::vector<Index> samples_;
  std::vector<Index> folds_;       // of each sample
  std::vector<bool> is_foretold_;  // those near enough to the center
  Matrix<double> values_;          // [sample, coil]
  double energy_ = 0;
};

}  // namespace whorl::detail

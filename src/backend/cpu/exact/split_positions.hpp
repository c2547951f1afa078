// Positions in k-space, split for exact phases.
#pragma once

#include "backend/cpu/exact/grid_sums.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

/// Positions [sample, dim], padded with zeros to a multiple of `block`.
class SplitPositions {
 public:
  SplitPositions(const Context& ctx, ArrayRef<const double> points, Index block)
      : padded_(round_up(points.extent(0), block)), parts_(zeros<double>(ctx, {2, 3, padded_})) {
    const auto k = points.view<2>();
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      for (Index j = 0; j < k.extent(0); ++j) {
        const auto leading = static_cast<double>(static_cast<float>(k(j, axis)));
        parts_.data()[axis * padded_ + j] = leading;
        parts_.data()[(3 + axis) * padded_ + j] = k(j, axis) - leading;
      }
    }
  }

  /// The positions along x (0), y (1) or z (2), from sample `first` on.
  AxisPositions axis(Index axis, Index first) const {
    const double* leading = parts_.data() + axis * padded_ + first;
    return {leading, leading + 3 * padded_};
  }

 private:
  Index padded_;
  Array<double> parts_;
};

}  // namespace whorl::backend::cpu

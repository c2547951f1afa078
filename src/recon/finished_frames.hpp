// The frames that a store keeps from an earlier run, and gets from this one.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "recon/frame_groups.hpp"
#include "whorl/recon/frame_store.hpp"

namespace whorl::recon {

class FinishedFrames {
 public:
  /// `order`: the number in the scan that was given of each image's frame, empty: as they come.
  FinishedFrames(FrameStore* store, const std::vector<std::size_t>& order) : store_(store), order_(order) {}

  /// Whether the store has all frames of a group; then sets their images [frame, (z,) y, x] and reports.
  bool find(const Context& ctx, const FrameGroup& group, ArrayRef<std::complex<float>> images,
            std::vector<SolverReport>& reports) const;
  void keep(const Context& ctx, const FrameGroup& group, ArrayRef<const std::complex<float>> images,
            const std::vector<SolverReport>& reports) const;
  /// For the solver of a group; null: its state is not kept.
  std::unique_ptr<SolverStates<float>> states(const FrameGroup& group) const;

 private:
  Index number(Index image) const {
    return order_.empty() ? image : static_cast<Index>(order_[static_cast<std::size_t>(image)]);
  }

  FrameStore* store_;  // or none
  const std::vector<std::size_t>& order_;
};

}  // namespace whorl::recon

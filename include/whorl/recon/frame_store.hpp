// Frames that are finished, and states of solvers, kept outside of a reconstruction.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

/// Result of the solver for a frame.
struct FinishedFrame {
  Array<std::complex<float>> image;  ///< [(z,) y, x] on the host, before mask, unit and filter
  SolverReport report;
};

/// Keeps the frames that a solver has finished, so that a later run does not solve them again
/// (ReconResources::finished). What is solved from the same scan with the same options has the same bits on a CPU, so
/// the later run's result does too. A store belongs to one scan and one set of options: who makes it sees to that.
///
/// Threads  one reconstruction at a time
class FrameStore {
 public:
  FrameStore() = default;
  virtual ~FrameStore() = default;
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  /// The frame of this number in the scan, if it is kept.
  virtual std::optional<FinishedFrame> find(Index frame) = 0;
  virtual void keep(Index frame, const FinishedFrame& finished) = 0;
  /// Store in which the solver of these frames, which are solved together, keeps its state until they are finished; null: none.
  virtual std::unique_ptr<SolverStates<float>> states(std::span<const Index> /*frames*/) { return nullptr; }
};

}  // namespace whorl

// How long work takes on the device that does it.
#pragma once

#include <memory>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl {

namespace kernels {
class LapTimer;
}

/// A stopwatch that stands on the context's device: on a GPU the host may ask for much work, with marks between, and
/// the times are those that the GPU took from mark to mark.
class Laps {
 public:
  explicit Laps(const Context& ctx);
  ~Laps();
  Laps(const Laps&) = delete;
  Laps& operator=(const Laps&) = delete;

  void mark();
  /// Milliseconds from each mark to the next; waits for the last. The marks are forgotten.
  std::vector<double> milliseconds();

 private:
  std::unique_ptr<kernels::LapTimer> timer_;
};

}  // namespace whorl

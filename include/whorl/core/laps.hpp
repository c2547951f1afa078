// Laps: times of work on a device.
#pragma once

#include <memory>
#include <vector>

#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

namespace kernels {
class LapTimer;
}

/// A stopwatch on the context's device. On a GPU, marks are queued between pieces of work; the times are those that the
/// GPU takes from mark to mark.
class Laps {
 public:
  explicit Laps(const Context& ctx);
  ~Laps();
  Laps(const Laps&) = delete;
  Laps& operator=(const Laps&) = delete;

  void mark();
  /// Milliseconds from each mark to the next; waits for the last. Clears the marks.
  std::vector<double> milliseconds();

 private:
  std::unique_ptr<kernels::LapTimer> timer_;
};

}  // namespace whorl

// How much memory the stages of a reconstruction take.
#pragma once

#include <algorithm>

#include "whorl/core/shape.hpp"

namespace whorl::recon {

/// Bytes of arrays on the context's device that a stage makes. Each stage states them where its code is.
struct StageMemory {
  Index kept = 0;  ///< that are there when it ends
  Index peak = 0;  ///< that are there at a time while it runs, those that it keeps included
};

/// Adds up stages in the order in which they run.
class MemoryPlan {
 public:
  /// A stage that runs beside what the earlier ones kept.
  void add(const StageMemory& stage) {
    peak_ = std::max(peak_, held_ + stage.peak);
    held_ += stage.kept;
  }
  /// A stage of which nothing is kept.
  void use(Index bytes) { add({0, bytes}); }
  void hold(Index bytes) { add({bytes, bytes}); }

  Index held() const { return held_; }
  Index peak() const { return peak_; }

 private:
  Index held_ = 0;
  Index peak_ = 0;
};

}  // namespace whorl::recon

// Memory that the stages of a reconstruction take.
#pragma once

#include <algorithm>
#include <complex>
#include <optional>

#include "recon/stage.hpp"
#include "whorl/core/shape.hpp"

namespace whorl::recon {

inline constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));  ///< of a voxel or sample

/// Bytes of arrays on the context's device that a stage makes. Each stage states them where its code is.
struct StageMemory {
  Index kept = 0;  ///< that are there when it ends
  Index peak = 0;  ///< that are there at a time while it runs, those that it keeps included
};

/// The stage, where it runs.
inline std::optional<Stage> when(bool runs, Stage stage) { return runs ? std::optional(stage) : std::nullopt; }

/// Adds up stages in the order in which they run.
class MemoryPlan {
 public:
  /// What runs beside what the earlier ones kept. Without a stage it is a part of others.
  void add(const StageMemory& memory, std::optional<Stage> stage = {}) {
    const Index peak = held_ + memory.peak;
    peak_ = std::max(peak_, peak);
    if (stage) stages_.at(*stage) = std::max(stages_.at(*stage), peak);
    held_ += memory.kept;
  }
  /// A stage of which nothing is kept.
  void use(Index bytes, std::optional<Stage> stage = {}) { add({0, bytes}, stage); }
  void hold(Index bytes) { add({bytes, bytes}); }

  /// The bytes at the peak of each stage.
  const StageValues<Index>& stages() const { return stages_; }

  Index held() const { return held_; }
  Index peak() const { return peak_; }

 private:
  StageValues<Index> stages_;
  Index held_ = 0;
  Index peak_ = 0;
};

}  // namespace whorl::recon

// How much memory the stages of a reconstruction take.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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
  /// A stage that runs beside what the earlier ones kept. Those with a name are listed for people.
  void add(const StageMemory& stage, const char* name = nullptr) {
    peak_ = std::max(peak_, held_ + stage.peak);
    if (name != nullptr) list(name, held_ + stage.peak);
    held_ += stage.kept;
  }
  /// A stage of which nothing is kept.
  void use(Index bytes, const char* name = nullptr) { add({0, bytes}, name); }
  void hold(Index bytes) { add({bytes, bytes}); }

  /// The bytes at the peak of each stage with a name, in their order.
  const std::vector<std::pair<std::string, Index>>& stages() const { return stages_; }

  Index held() const { return held_; }
  Index peak() const { return peak_; }

 private:
  void list(const char* name, Index bytes) {
    const auto found =
        std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.first == name; });
    if (found == stages_.end()) {
      stages_.emplace_back(name, bytes);
    } else {
      found->second = std::max(found->second, bytes);
    }
  }

  std::vector<std::pair<std::string, Index>> stages_;
  Index held_ = 0;
  Index peak_ = 0;
};

}  // namespace whorl::recon

// Progress of an exact sum, and its cancellation.
#pragma once

#include <fmt/format.h>

#include <optional>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// A sum of some tenths of a second or more reports progress as a stage, one step per sample. A shorter sum reports
/// none: it may be one of many.
class SumProgress {
 public:
  /// Throws Cancelled.
  SumProgress(const Context& ctx, Index samples, Index terms_of_a_sample) : ctx_(ctx) {
    ctx.check_cancel("dft");
    const double terms = static_cast<double>(samples) * static_cast<double>(terms_of_a_sample);
    if (terms >= 0x1p31) stage_.emplace(ctx, fmt::format("exact sum of {:.2g} terms", terms), samples);
  }

  /// Throws Cancelled.
  void advance(Index samples) {
    if (stage_) {
      stage_->advance(samples);
    } else {
      ctx_.check_cancel("dft");
    }
  }

 private:
  const Context& ctx_;
  std::optional<ProgressStage> stage_;
};

}  // namespace whorl::backend::cpu

// The ladder of a problem, and the tables beside it.
#pragma once

#include <span>

#include "studies/ladder.hpp"
#include "studies/mri_q/library_q.hpp"
#include "studies/mri_q/steps.hpp"
#include "studies/mri_q/truth.hpp"

namespace whorl::studies::mri_q {

/// The steps for the context's device and the library's transforms. `choice` is the tuning's; `size` that of the grid,
/// 0: the voxels lie on none. The problem is on the host and has to outlive the ladder; where a step would take long it
/// gets a part of the voxels.
Ladder ladder_of(const Context& ctx, const Problem& problem, int choice, Index size);
/// One of the steps alone.
Ladder ladder_of_step(const Context& ctx, const Problem& problem, int choice, const std::string& step);

/// Times of all choices of the tuning for the context's device, and the fastest.
struct Tuned {
  Table table;
  int choice = 0;
};
Tuned tune(const Context& ctx, const Problem& problem);

/// The times of a ladder, by the edge of the grid.
struct TimesOfSize {
  Index size;
  std::vector<StepTime> times;
};
Table size_table(const Ladder& ladder, std::span<const TimesOfSize> sizes);

Table acceptance_table(const Acceptance& acceptance);

}  // namespace whorl::studies::mri_q

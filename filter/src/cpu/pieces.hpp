// Division of a range of numbers into pieces for threads.
#pragma once

#include <algorithm>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Calls work(first, last) for pieces of [0, count), in parallel. If a stop is requested, the rest is skipped.
template <class Work>
void in_pieces(const Context& ctx, Index count, const Work& work) {
  constexpr Index piece = Index{1} << 14;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index first = 0; first < count; first += piece) {
    if (ctx.cancel_requested()) continue;
    work(first, std::min(first + piece, count));
  }
}

}  // namespace whorl::backend::cpu

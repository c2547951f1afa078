// Numbers in pieces; a thread takes some pieces.
#pragma once

#include <algorithm>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Calls work(first, last) for pieces of [0, count), in parallel. If the work is asked to stop, the rest is left out.
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

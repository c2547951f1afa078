// The number of threads for a loop.
#pragma once

#include <algorithm>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// The number of threads for a loop of `operations` elementary operations. Starting a team and waiting for it costs
/// some microseconds on an idle machine and a time slice on a busy one; each thread should have more work than that.
inline int threads_for(const Context& ctx, Index operations) {
  constexpr Index operations_per_thread = 1 << 15;
  return static_cast<int>(std::clamp<Index>(operations / operations_per_thread, 1, ctx.threads()));
}

}  // namespace whorl::backend::cpu

// The number of threads for a loop.
#pragma once

#include <algorithm>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// The number of threads for a loop of `operations` elementary operations, some 0.5 ns each: all threads of the context,
/// or one. Nothing between: when a team is smaller than the one before, GNU's OpenMP ends the threads that are left over,
/// and the next larger team starts them anew, for 30 to 50 us each; loops of many sizes took most of their time so.
///
/// A team pays if each thread has more work than it costs to wake it: about 2 us, 4096 operations. The whole loop must
/// have more than it takes until a sleeping thread runs, 20 to 40 us on a virtual machine (docs/builders/threads.md).
inline int threads_for(const Context& ctx, Index operations) {
  constexpr Index of_loop = 1 << 16;
  constexpr Index of_thread = 1 << 12;
  const int threads = ctx.threads();
  return operations >= std::max(of_loop, of_thread * threads) ? threads : 1;
}

}  // namespace whorl::backend::cpu

// Private: a parallel loop whose body may throw.
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// Calls body(i) for begin <= i < end in the threads of the context. Exceptions must not leave a parallel region: after
/// it, that of the smallest i is thrown, as a loop in one thread would do. Calls above a failure are left out. If the
/// work is asked to stop, the rest is left out, and Cancelled, which names the operation, is thrown where
/// nothing else was.
template <class Body>
void parallel_for(const Context& ctx, std::string_view operation, Index begin, Index end, const Body& body) {
  std::exception_ptr failure;
  std::atomic<Index> failed{std::numeric_limits<Index>::max()};
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic)
  for (Index i = begin; i < end; ++i) {
    if (i > failed || ctx.cancel_requested()) continue;
    try {
      body(i);
    } catch (...) {
#pragma omp critical(whorl_parallel_failure)
      if (i < failed) {
        failed = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  ctx.check_cancel(operation);
}

}  // namespace whorl::detail

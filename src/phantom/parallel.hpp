// Private: a parallel loop whose body may throw.
#pragma once

#include <exception>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// Calls body(i) for begin <= i < end in the threads of the context. Exceptions must not leave a parallel region, so
/// one of them is rethrown after it.
template <class Body>
void parallel_for(const Context& ctx, Index begin, Index end, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for num_threads(ctx.threads()) schedule(dynamic)
  for (Index i = begin; i < end; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(whorl_phantom_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace whorl::detail

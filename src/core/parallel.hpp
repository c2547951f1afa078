// Private: parallel loops whose bodies may throw or take memory.
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// What the work of a parallel region throws, such as std::bad_alloc. An exception that leaves a thread of the region ends the
/// process: all work in it that may throw or take memory goes through run(), and rethrow() follows the region.
class RegionFailure {
 public:
  /// Does the work, unless work of a smaller order has failed. A loop gives its turns, from 0 on, as orders.
  template <class Work>
  void run(Index order, const Work& work) noexcept {
    if (order > failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      keep(order);
    }
  }

  bool has_failed() const { return failed_.load(std::memory_order_relaxed) != none; }

  /// Throws what the work of the smallest order threw, as a loop in one thread would do.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();

  void keep(Index order) noexcept {
#pragma omp critical(whorl_region_failure)
    if (order < failed_.load(std::memory_order_relaxed)) {
      failed_.store(order, std::memory_order_relaxed);
      failure_ = std::current_exception();
    }
  }

  std::atomic<Index> failed_{none};
  std::exception_ptr failure_;
};

/// Calls body(i) for begin <= i < end in so many threads, and throws what the body with the smallest i throws. If the work is
/// asked to stop, the rest is left out, and Cancelled, which names the operation, is thrown where nothing else was.
template <class Body>
void parallel_for(const Context& ctx, int threads, std::string_view operation, Index begin, Index end,
                  const Body& body) {
  RegionFailure failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (Index i = begin; i < end; ++i) {
    if (ctx.cancel_requested()) continue;
    failure.run(i - begin, [&] { body(i); });
  }
  failure.rethrow();
  ctx.check_cancel(operation);
}

/// In the threads of the context.
template <class Body>
void parallel_for(const Context& ctx, std::string_view operation, Index begin, Index end, const Body& body) {
  parallel_for(ctx, ctx.threads(), operation, begin, end, body);
}

/// For threads with memory of their own: each calls work(turns) once, and turns(body) calls body(i) for those 0 <= i < count
/// that no other thread has begun. Throws what one of the threads threw; the rest is left out then, or if the work is asked to
/// stop.
template <class Work>
void parallel_threads(const Context& ctx, int threads, Index count, const Work& work) {
  RegionFailure failure;
  std::atomic<Index> next{0};
  const auto turns = [&](const auto& body) {
    while (!ctx.cancel_requested() && !failure.has_failed()) {
      const Index i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      body(i);
    }
  };
#pragma omp parallel num_threads(threads)
  failure.run(0, [&] { work(turns); });
  failure.rethrow();
}

}  // namespace whorl::detail

// CancelToken: asks work that runs to stop.
#pragma once

#include <atomic>
#include <memory>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// A request to stop. Copies share it. Calls with a context that has the token, reconstruct(ctx.with(token), scan),
/// stop soon after the request and throw Cancelled. The request stays until reset.
///
/// Threads  request, requested and reset: any thread, and signal handlers
class CancelToken {
 public:
  void request() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_->load(std::memory_order_relaxed); }
  /// Withdraws the request: later calls run again.
  void reset() const noexcept { flag_->store(false, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace whorl

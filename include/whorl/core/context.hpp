// Context: where and how to run. It is the first argument of everything that computes; there is no global state.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "whorl/core/device.hpp"
#include "whorl/core/memory.hpp"
#include "whorl/core/progress.hpp"

namespace whorl {

/// Device, threads, memory pool, progress sink and cancel flag. Copies share the pool, the sink and the flag.
class Context {
 public:
  struct Options {
    Device device{};
    int threads = 0;                           ///< 0: as many as the machine offers to this process
    std::shared_ptr<ProgressSink> progress{};  ///< none: silent
  };

  Context();
  explicit Context(Options options);

  Device device() const { return device_; }
  int threads() const { return threads_; }
  MemoryPool& pool() const { return *pool_; }
  ProgressSink* progress() const { return progress_.get(); }

  /// Asks the work that runs with this context to stop. Safe from any thread and from a signal handler.
  void request_cancel() const { cancel_->store(true, std::memory_order_relaxed); }
  bool cancel_requested() const { return cancel_->load(std::memory_order_relaxed); }
  /// Throws Cancelled, naming the operation, when a stop was asked for.
  void check_cancel(std::string_view operation) const;

 private:
  Device device_;
  int threads_;
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<ProgressSink> progress_;
  std::shared_ptr<std::atomic<bool>> cancel_;
};

/// One stage of progress, ended by its destructor. Does nothing where the context has no sink.
class ProgressStage {
 public:
  ProgressStage(const Context& ctx, std::string_view stage, Index total);
  ~ProgressStage();
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

  /// Adds steps, and throws Cancelled when the context was asked to stop.
  void advance(Index steps = 1, std::string_view detail = {});

 private:
  const Context& ctx_;
  std::string stage_;
  Index done_ = 0;
};

}  // namespace whorl

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

namespace kernels {
class Queue;
}

/// Device, threads, memory pool, progress sink and cancel flag. Copies share the pool, the sink and the flag.
///
/// On a GPU all work of a context, and of its copies, runs in the order in which it was asked for, and a call may
/// return before its work is done; synchronize waits. What comes back to the host is there when the call that brings it
/// returns.
class Context {
 public:
  struct Options {
    Device device{};
    int threads = 0;                           ///< 0: as many as the machine offers to this process
    std::shared_ptr<ProgressSink> progress{};  ///< none: silent
    std::size_t max_memory = 0;                ///< bytes of arrays on the device at most; 0: what it has
  };

  Context();
  explicit Context(Options options);

  Device device() const { return device_; }
  int threads() const { return threads_; }
  MemoryPool& pool() const { return *pool_; }
  /// This context for work on the host: the same threads, progress sink and cancel flag. Itself where its device is the
  /// CPU.
  Context host() const;
  /// This context for work on another device, with a pool of its own for it, of at most `max_memory` bytes (0: what the
  /// device has). Throws DeviceError where the device is not there.
  Context on(Device device, std::size_t max_memory = 0) const;
  /// Waits until all work that was asked for is done. Throws DeviceError where it failed.
  void synchronize() const;
  /// For backends; none on the CPU.
  kernels::Queue* queue() const { return queue_.get(); }
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
  std::shared_ptr<MemoryPool> host_pool_;
  std::shared_ptr<kernels::Queue> queue_;
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

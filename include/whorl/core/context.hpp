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
/// On a GPU all work of a context and its copies runs in the order of the calls. A call may return before its work is
/// done; synchronize waits for it. A call that copies a result to the host returns when the result is there.
class Context {
 public:
  struct Options {
    Device device{};
    int threads = 0;                           ///< 0: as many as the machine offers to this process
    std::shared_ptr<ProgressSink> progress{};  ///< none: silent
    std::size_t max_memory = 0;                ///< limit for arrays on the device, in bytes; 0: all its memory
  };

  Context();
  explicit Context(Options options);

  Device device() const { return device_; }
  int threads() const { return threads_; }
  MemoryPool& pool() const { return *pool_; }
  /// A context for work on the host, with the same threads, progress sink and cancel flag. If the device is the CPU, a
  /// copy of this context.
  Context host() const;
  /// A context for work on another device, with a pool of at most `max_memory` bytes there (0: all its memory). Throws
  /// DeviceError if there is no such device.
  Context on(Device device, std::size_t max_memory = 0) const;
  /// Waits until all work of earlier calls is done. Throws DeviceError if it failed.
  void synchronize() const;
  /// For backends; none on the CPU.
  kernels::Queue* queue() const { return queue_.get(); }
  ProgressSink* progress() const { return progress_.get(); }

  /// Asks the work that runs with this context to stop. Safe from any thread and from a signal handler.
  void request_cancel() const { cancel_->store(true, std::memory_order_relaxed); }
  bool cancel_requested() const { return cancel_->load(std::memory_order_relaxed); }
  /// Throws Cancelled, naming the operation, after request_cancel.
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

/// One stage of progress; its destructor ends it. It does nothing if the context has no sink.
class ProgressStage {
 public:
  ProgressStage(const Context& ctx, std::string_view stage, Index total);
  ~ProgressStage();
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

  /// Adds finished steps. Throws Cancelled after Context::request_cancel.
  void advance(Index steps = 1, std::string_view detail = {});

 private:
  const Context& ctx_;
  std::string stage_;
  Index done_ = 0;
};

}  // namespace whorl

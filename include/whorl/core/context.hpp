// Context: where and how to run. It is the first argument of everything that computes; there is no global state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "whorl/core/cancel_token.hpp"
#include "whorl/core/device.hpp"
#include "whorl/core/memory.hpp"
#include "whorl/core/progress.hpp"

namespace WHORL_PUBLIC whorl {

namespace kernels {
class Queue;
}

/// Device, threads, memory pool, progress sink and cancel token. Copies share the pool, the sink and the token.
///
/// On a GPU all work of a context and its copies runs in the order of the calls, in one stream. A call may return before
/// its work is done; synchronize waits for it. A call that copies a result to the host returns when the result is there.
///
/// Threads  on a CPU several threads may compute with one context at once; its sink hears of one of them at a time. On a
///          GPU a context and its copies belong to one thread at a time; other threads make contexts of their own
/// Fork     in the child of a process that had several threads, a context computes with one thread, since OpenMP's are
///          gone. A context on a GPU throws DeviceError in the child; programs that are started anew (exec) may use both
class Context {
 public:
  struct Options {
    Device device{};
    int threads = 0;                           ///< 0: as many as the machine offers to this process
    std::shared_ptr<ProgressSink> progress{};  ///< none: silent
    std::size_t max_memory = 0;                ///< limit for arrays on the device, in bytes; 0: all its memory
    CancelToken cancel{};                      ///< asks work of this context to stop
    /// A stream of the caller, a cudaStream_t, in which all work of the context then runs; null is CUDA's default
    /// stream. It must outlive the context, its copies, and the arrays and plans made with it. While a call runs, no
    /// other thread may give the stream work. None: the context makes a stream
    std::optional<void*> stream{};
  };

  Context();
  /// Throws ValueError (a negative number of threads, a stream for the CPU, a stream of another device,
  /// cudaStreamPerThread), DeviceError (no such device).
  explicit Context(Options options);

  Device device() const { return device_; }
  /// Threads that a loop may use.
  int threads() const;
  MemoryPool& pool() const { return *pool_; }
  /// A context for work on the host, with the same threads, progress sink and cancel flag. If the device is the CPU, a
  /// copy of this context.
  Context host() const;
  /// A context for work on another device, with a pool of at most `max_memory` bytes there (0: all its memory). Throws
  /// DeviceError if there is no such device.
  Context on(Device device, std::size_t max_memory = 0) const;
  /// A copy with another cancel token, for one call or several: reconstruct(ctx.with(token), scan). Device, pool and
  /// sink are shared.
  Context with(CancelToken token) const;
  /// A copy with another progress sink (none: silent). Device, pool and token are shared.
  Context with(std::shared_ptr<ProgressSink> progress) const;
  /// A copy whose arrays need not lie in the device's memory (MemoryPool::spilled): those of a CPU lie in temporary files
  /// in `folder` (empty: temporary_folder), those of a GPU take up to spill_room(). After the first `away` bytes
  /// the next `resident` bytes are the device's. Results have the same bits; work on spilled arrays has the speed of the
  /// disk, where they leave the system's memory, or of the bus.
  Context spilled(const std::string& folder = {}, std::size_t away = 0, std::size_t resident = 0) const;
  /// Bytes of the host's memory for what does not fit elsewhere: half of it. The rest is for what else works there, such as the
  /// writing of images.
  std::size_t spill_room() const { return host().pool().limit() / 2; }
  /// The context with arrays in the device's memory that `spilled` made this one of; else a copy.
  Context unspilled() const;
  /// Waits until all work of earlier calls is done. Throws DeviceError if it failed.
  void synchronize() const;
  /// The stream of a GPU's context, a cudaStream_t, so that other libraries can order their work with it: work that is
  /// put into it runs after all earlier calls. It lives as long as the context and its copies. Throws Unsupported on the
  /// CPU.
  void* stream() const;
  /// For backends; none on the CPU.
  kernels::Queue* queue() const { return queue_.get(); }
  /// For backends: a copy whose work is queued elsewhere or, on a CPU, done in one thread, with a branch of the pool.
  Context branch(std::shared_ptr<kernels::Queue> queue, int number) const;
  ProgressSink* progress() const { return progress_.get(); }

  const CancelToken& cancel_token() const { return cancel_; }
  /// Asks the work that runs with this context, and with copies of the same token, to stop; later calls too, until the
  /// token is reset. Safe from any thread and from a signal handler.
  void request_cancel() const { cancel_.request(); }
  bool cancel_requested() const { return cancel_.requested(); }
  /// Throws Cancelled, naming the operation, after request_cancel.
  void check_cancel(std::string_view operation) const;

 private:
  Context on(Device device, std::size_t max_memory, std::optional<void*> stream) const;

  Device device_;
  int threads_;
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<MemoryPool> host_pool_;
  std::shared_ptr<kernels::Queue> queue_;
  std::shared_ptr<ProgressSink> progress_;
  CancelToken cancel_;
};

/// One stage of progress; its destructor ends it. It is silent if the context has no sink, or one that hears of another
/// thread. It keeps a copy of the context.
///
/// Threads  a stage belongs to the thread that made it
class ProgressStage {
 public:
  ProgressStage(const Context& ctx, std::string_view stage, Index total);
  ~ProgressStage();
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

  /// Adds finished steps. Throws Cancelled if the context's token asks to stop.
  void advance(Index steps = 1, std::string_view detail = {});

 private:
  Context ctx_;
  std::string stage_;
  Index done_ = 0;
  ProgressSink* sink_ = nullptr;  // none: silent
};

}  // namespace whorl

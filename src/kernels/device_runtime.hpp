// The part of a backend below all kernels: its list of devices, their memory, the order of their work.
//
// Devices: kernels::DeviceRuntime is the part of a backend below all kernels: the list of devices, their memory, the
// queue of a context, and times between marks in the queue. All work of a context on a GPU goes to one stream, in
// order. So the memory pool can hand out a block again as soon as the host releases it: the next owner's work runs
// later. Files, pictures and trajectories use the host's context (Context::host). Data are copied to the device once
// and images back once (recon/reconstruct); OnDevice and ForDevice copy single arrays where needed. Kernels in a loop
// neither wait for the host nor allocate. kernels::make_repeatable records an iteration as a CUDA graph and reserves
// its scratch memory (MemoryPool::keep_scratch_of). The scalars of conjugate gradient stay on the device.
// kernels::side_by_side runs blocks of BlockDiagonal (frames) at the same time: on a GPU, which one does not fill, two
// or three in streams beside the context's (a graph that records them has branches), on a CPU one in each thread. Each
// has a part of the pool of its own (MemoryPool::branch).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The work that one context has queued on a device. It is done in the order in which it was queued. Each backend has
/// its own class.
class Queue {
 public:
  Queue() = default;
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  /// Waits until the work is done. Throws DeviceError if it failed.
  virtual void synchronize() = 0;
  /// The backend's stream in the form that callers know: a cudaStream_t.
  virtual void* stream_handle() const = 0;
};

/// Measures the times between marks in the device's work.
class LapTimer {
 public:
  LapTimer() = default;
  virtual ~LapTimer() = default;
  LapTimer(const LapTimer&) = delete;
  LapTimer& operator=(const LapTimer&) = delete;
  virtual void mark() = 0;
  /// Waits for the last mark and returns the time from each mark to the next. Clears the marks.
  virtual std::vector<double> milliseconds() = 0;
};

class DeviceRuntime {
 public:
  DeviceRuntime() = default;
  virtual ~DeviceRuntime() = default;
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  /// Number of devices of this machine that this build can use.
  virtual int count() const = 0;
  /// Why there is no device, in one line.
  virtual std::string why_none() const = 0;
  /// The maker's name of a device.
  virtual std::string name(int index) const = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t free_bytes(int index) const = 0;
  /// A block aligned to memory_alignment, or null if memory has run out.
  virtual std::byte* allocate(int index, std::size_t bytes) const = 0;
  virtual void release(int index, std::byte* block) const noexcept = 0;
  /// A block likewise, in the memory of the host, which kernels of the device read and write in place.
  virtual std::byte* allocate_on_host(int index, std::size_t bytes) const = 0;
  virtual void release_on_host(std::byte* block) const noexcept = 0;
  /// A new queue, or null if all work is done before a call returns. `stream` is a stream of the caller, to use instead
  /// of a new one.
  virtual std::shared_ptr<Queue> make_queue(int index, std::optional<void*> stream) const = 0;
  /// A timer for the work in the context's queue.
  virtual std::unique_ptr<LapTimer> make_lap_timer(const Context& ctx) const = 0;
};

/// Called by a backend as it fills core's slots.
WHORL_INTERNAL void set_runtime(DeviceKind kind, const DeviceRuntime& runtime);

/// The runtime of a kind of device, or null if it is missing: register_core(kind) says why.
WHORL_INTERNAL const DeviceRuntime* runtime_of(DeviceKind kind);

/// Copies bytes between the host and the context's device, or within either. When the call returns, the memory on the
/// host has been read or written.
inline CoreKernel<void(const Context&, void* to, Device to_device, const void* from, Device from_device,
                       std::size_t bytes)>
    copy_bytes{"copy"};

/// Repeats a pattern of 1, 2, 4, 8 or 16 bytes over memory of the context's device.
inline CoreKernel<void(const Context&, void* to, const void* pattern, std::size_t pattern_bytes, Index count)>
    fill_pattern{"fill"};

}  // namespace whorl::kernels

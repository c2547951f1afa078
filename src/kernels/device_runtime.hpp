// What a backend does for its devices below all kernels: which there are, their memory, the order of their work.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The work that one context has asked a device for; it is done in the order in which it was asked for. What is in it
/// is the backend's own.
class Queue {
 public:
  Queue() = default;
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  /// Waits until the work is done. Throws DeviceError where it failed.
  virtual void synchronize() = 0;
  /// The backend's own stream, as callers know it: a cudaStream_t.
  virtual void* stream_handle() const = 0;
};

/// Times between marks that the device passes.
class LapTimer {
 public:
  LapTimer() = default;
  virtual ~LapTimer() = default;
  LapTimer(const LapTimer&) = delete;
  LapTimer& operator=(const LapTimer&) = delete;
  virtual void mark() = 0;
  /// From each mark to the next, once all are passed; the marks are forgotten.
  virtual std::vector<double> milliseconds() = 0;
};

class DeviceRuntime {
 public:
  DeviceRuntime() = default;
  virtual ~DeviceRuntime() = default;
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  /// Devices that this machine has; 0 where it has none that this build can use.
  virtual int count() const = 0;
  /// Why there is none, in one line.
  virtual std::string why_none() const = 0;
  /// The maker's name of a device.
  virtual std::string name(int index) const = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t free_bytes(int index) const = 0;
  /// A block aligned to memory_alignment, or none where there is no more.
  virtual std::byte* allocate(int index, std::size_t bytes) const = 0;
  virtual void release(int index, std::byte* block) const noexcept = 0;
  /// A new queue, or none where all work is done before a call returns. `stream`: the caller's, in place of one of its
  /// own.
  virtual std::shared_ptr<Queue> make_queue(int index, std::optional<void*> stream) const = 0;
  /// A timer of the work in a queue of this runtime.
  virtual std::unique_ptr<LapTimer> make_lap_timer(const Context& ctx) const = 0;
};

/// Called by a backend as it fills core's slots.
WHORL_INTERNAL void set_runtime(DeviceKind kind, const DeviceRuntime& runtime);

/// The runtime of a kind of device, or none where it is missing: register_core(kind) says why.
WHORL_INTERNAL const DeviceRuntime* runtime_of(DeviceKind kind);

/// Copies bytes between the host and the context's device, or on either. The host's part of it is done when the call
/// returns.
inline CoreKernel<void(const Context&, void* to, Device to_device, const void* from, Device from_device,
                       std::size_t bytes)>
    copy_bytes{"copy"};

/// Repeats a pattern of 1, 2, 4, 8 or 16 bytes over memory of the context's device.
inline CoreKernel<void(const Context&, void* to, const void* pattern, std::size_t pattern_bytes, Index count)>
    fill_pattern{"fill"};

}  // namespace whorl::kernels

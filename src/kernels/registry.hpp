// Kernel: one function per device behind one name. Calling it picks the slot of the device that its first argument
// names: that of a context, or a kind of device alone for questions about its kernels.
//
// Kernels belong to houses: core, the reconstruction, the filters. Each house has one list of what fills its slots,
// made by CMake from the sources of the backends in this build (cmake/WhorlKernels.cmake). A kernel names its house by
// the function that fills the slots, and calls it when it finds its own slot empty: so a static link keeps the house's
// kernels with any one of them, which it would not do with objects that register themselves, and core needs to know of
// no house above it.
#pragma once

#include <atomic>
#include <string>
#include <type_traits>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::kernels {

/// Fill the slots of a house for every backend of this build, once per process.
void register_core();
void register_reconstruction();

inline Device device_of(const Context& ctx) { return ctx.device(); }
inline Device device_of(DeviceKind kind) { return {kind}; }

/// A kernel of the house whose slots `fill` fills.
template <class Signature, void (*fill)()>
class KernelOf;

template <class Result, class Where, class... Args, void (*fill)()>
class KernelOf<Result(Where, Args...), fill> {
 public:
  using Function = Result (*)(Where, Args...);

  explicit constexpr KernelOf(const char* name) : name_(name) {}

  void set(DeviceKind device, Function function) {
    slots_[static_cast<int>(device)].store(function, std::memory_order_release);
  }

  /// Whether this build has it for such devices.
  bool is_for(DeviceKind device) const { return function_for(device) != nullptr; }

  Result operator()(Where where, std::type_identity_t<Args>... args) const {
    const Device device = device_of(where);
    const Function function = function_for(device.kind);
    if (function == nullptr) {
      throw Unsupported(std::string(name_) + ": not available on " + to_string(device) + " in this build");
    }
    return function(where, static_cast<Args>(args)...);
  }

 private:
  Function function_for(DeviceKind device) const {
    const std::atomic<Function>& slot = slots_[static_cast<int>(device)];
    Function function = slot.load(std::memory_order_acquire);
    if (function == nullptr) {
      fill();
      function = slot.load(std::memory_order_acquire);
    }
    return function;
  }

  const char* name_;
  std::atomic<Function> slots_[device_kinds] = {};
};

/// fill(Real()) for each precision that kernels are made for.
template <class Fill>
void for_reals(const Fill& fill) {
  fill(float());
  fill(double());
}

template <class Signature>
using CoreKernel = KernelOf<Signature, register_core>;
template <class Signature>
using Kernel = KernelOf<Signature, register_reconstruction>;

}  // namespace whorl::kernels

// Kernel: one function per device behind one name. Calling it picks the slot of the device that its first argument
// names: that of a context, or a kind of device alone for questions about its kernels.
//
// Kernels belong to houses: core, the reconstruction, the filters. Each house has one list per backend of what fills its
// slots, made by CMake from the sources of the backend (cmake/WhorlKernels.cmake). A kernel names its house by the
// function that fills the slots of a kind of device, and calls it when it finds its own slot for that kind empty: so a
// static link keeps the house's kernels with any one of them, which it would not do with objects that register themselves;
// core needs to know of no house above it; and what is for GPUs is loaded when one is asked for (kernels/modules.hpp).
//
// The slots themselves are core's, under the kernel's name and signature. So each library has a hidden `Kernel` object of
// its own, and a module fills the slots that the others call.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "core/internal.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::kernels {

/// Fill the slots of a house for a kind of device, once per process. They return nothing, or in one line why the slots
/// stay empty.
using Fill = std::string_view (*)(DeviceKind);
WHORL_INTERNAL std::string_view register_core(DeviceKind device);
WHORL_INTERNAL std::string_view register_reconstruction(DeviceKind device);

inline Device device_of(const Context& ctx) { return ctx.device(); }
inline Device device_of(DeviceKind kind) { return {kind}; }

/// What fills a slot, whatever its signature.
using AnyFunction = void (*)();

/// The functions of one kernel.
struct Slots {
  std::atomic<AnyFunction> of[device_kinds] = {};
};

/// The slots of the kernel with this name and this signature.
WHORL_INTERNAL Slots& slots_of(const char* name, const std::type_info& signature);

/// Puts a function into its slot. Throws Error if another one is there: two kernels of one signature have the same name.
WHORL_INTERNAL void set_slot(Slots& slots, const char* name, DeviceKind device, AnyFunction function);

/// Throws Unsupported: the kernel has no function for the device; why is what its house said.
[[noreturn]] WHORL_INTERNAL void refuse(const char* name, Device device, std::string_view why);

/// A kernel of the house whose slots `fill` fills.
template <class Signature, Fill fill>
class KernelOf;

template <class Result, class Where, class... Args, Fill fill>
class KernelOf<Result(Where, Args...), fill> {
 public:
  using Function = Result (*)(Where, Args...);

  /// The name is in errors. No other kernel of the same signature has it.
  explicit constexpr KernelOf(const char* name) : name_(name) {}

  void set(DeviceKind device, Function function) {
    set_slot(slots(), name_, device, reinterpret_cast<AnyFunction>(function));
  }

  /// Whether this build has it for such devices.
  bool is_for(DeviceKind device) const {
    if (function_for(device) == nullptr) fill(device);
    return function_for(device) != nullptr;
  }

  Result operator()(Where where, std::type_identity_t<Args>... args) const {
    const Device device = device_of(where);
    Function function = function_for(device.kind);
    if (function == nullptr) {
      const std::string_view why = fill(device.kind);
      function = function_for(device.kind);
      if (function == nullptr) refuse(name_, device, why);
    }
    return function(where, static_cast<Args>(args)...);
  }

 private:
  Slots& slots() const {
    Slots* found = slots_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = &slots_of(name_, typeid(Result(Where, Args...)));
      slots_.store(found, std::memory_order_release);
    }
    return *found;
  }

  Function function_for(DeviceKind device) const {
    return reinterpret_cast<Function>(slots().of[static_cast<int>(device)].load(std::memory_order_acquire));
  }

  const char* name_;
  mutable std::atomic<Slots*> slots_ = nullptr;
};

/// work(Real()) for each precision that kernels are made for.
template <class Work>
void for_reals(const Work& work) {
  work(float());
  work(double());
}

template <class Signature>
using CoreKernel = KernelOf<Signature, register_core>;
template <class Signature>
using Kernel = KernelOf<Signature, register_reconstruction>;

}  // namespace whorl::kernels

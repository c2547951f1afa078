// Kernel: one function per device behind one name. A call picks the slot of the device that its first argument names: a
// context, or only a kind of device for questions about its kernels.
//
// Kernels belong to libraries: core, the reconstruction, the filters. Each library has one list per backend of functions
// that fill its slots, made by CMake from the backend's sources (cmake/WhorlKernels.cmake). A kernel knows the function
// `fill` of its library, and calls it when its own slot for a kind of device is empty. So a static link that keeps one
// kernel of a library keeps all, which it would not do with objects that register themselves; core knows no library above
// it; and code for GPUs is loaded when a GPU is first asked for (kernels/modules.hpp).
//
// The slots are in core, under the kernel's name and signature. So each library can have its own hidden `Kernel` object,
// and a module fills the slots that other libraries call.
//
// Kernels: kernels::Kernel<Signature> has one slot for a function per device. A call runs the function of the context's
// device or throws Unsupported. Algorithms have no #ifdef for devices. A static link would drop self-registering
// objects, so each library has one list per backend of functions that fill its slots, made by CMake
// (cmake/WhorlKernels.cmake). The type of a kernel names its library (CoreKernel, Kernel, FilterKernel). A call that
// finds its slot empty first runs the list of the kernel's library for that device. So core never names the libraries
// above it, and the lists for GPUs are in the modules. The slots are in core, under the kernel's name and signature, so
// that modules fill the slots that other libraries call. No two kernels share name and signature.
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

/// Such a function fills the slots of a library for a kind of device, once per process. It returns an empty string, or one
/// line that says why the slots stay empty.
using Fill = std::string_view (*)(DeviceKind);
WHORL_INTERNAL std::string_view register_core(DeviceKind device);
WHORL_INTERNAL std::string_view register_reconstruction(DeviceKind device);

inline Device device_of(const Context& ctx) { return ctx.device(); }
inline Device device_of(DeviceKind kind) { return {kind}; }

/// The type of functions in slots, without their signature.
using AnyFunction = void (*)();

/// The functions of one kernel.
struct Slots {
  std::atomic<AnyFunction> of[device_kinds] = {};
};

/// The slots of the kernel with this name and this signature.
WHORL_INTERNAL Slots& slots_of(const char* name, const std::type_info& signature);

/// Puts a function into its slot. Throws Error if the slot has another one: two kernels have equal names and signatures.
WHORL_INTERNAL void set_slot(Slots& slots, const char* name, DeviceKind device, AnyFunction function);

/// Throws Unsupported: the kernel has no function for the device. `why` is the reason that `fill` returned.
[[noreturn]] WHORL_INTERNAL void refuse(const char* name, Device device, std::string_view why);

/// A kernel of the library whose slots `fill` fills.
template <class Signature, Fill fill>
class KernelOf;

template <class Result, class Where, class... Args, Fill fill>
class KernelOf<Result(Where, Args...), fill> {
 public:
  using Function = Result (*)(Where, Args...);

  /// The name appears in errors. No other kernel with the same signature has it.
  explicit constexpr KernelOf(const char* name) : name_(name) {}

  void set(DeviceKind device, Function function) {
    set_slot(slots(), name_, device, reinterpret_cast<AnyFunction>(function));
  }

  /// Whether this build has the kernel for such devices.
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

/// Calls work(Real()) for each precision of kernels.
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

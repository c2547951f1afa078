// Kernel: one function per device behind one name. Calling it picks the slot of the context's device. A backend fills
// its slots from one explicit list (backend/<name>/register.cpp): objects that register themselves are dropped by a
// static link.
#pragma once

#include <string>
#include <type_traits>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::kernels {

/// Fills the slots of every backend of this build, once per process. Context's constructor calls it.
void register_backends();

template <class Signature>
class Kernel;

template <class Result, class... Args>
class Kernel<Result(const Context&, Args...)> {
 public:
  using Function = Result (*)(const Context&, Args...);

  explicit constexpr Kernel(const char* name) : name_(name) {}

  void set(DeviceKind device, Function function) { slots_[static_cast<int>(device)] = function; }

  Result operator()(const Context& ctx, std::type_identity_t<Args>... args) const {
    const Function function = slots_[static_cast<int>(ctx.device().kind)];
    if (function == nullptr) {
      throw Unsupported(std::string(name_) + ": not available on " + to_string(ctx.device()) + " in this build");
    }
    return function(ctx, static_cast<Args>(args)...);
  }

 private:
  const char* name_;
  Function slots_[device_kinds] = {};
};

}  // namespace whorl::kernels

// The slots of the filters' kernels, and the pixel types for which a backend fills them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Fills the slots of the filters' kernels, as register_core does.
WHORL_INTERNAL std::string_view register_filters(DeviceKind device);

/// A kernel of the filters. If a stop is requested, it skips the rest of its work; the call then throws Cancelled.
template <class Signature>
class FilterKernel;

template <class Result, class Where, class... Args>
class FilterKernel<Result(Where, Args...)> : public KernelOf<Result(Where, Args...), register_filters> {
 public:
  using Base = KernelOf<Result(Where, Args...), register_filters>;

  explicit constexpr FilterKernel(const char* name) : Base(name), name_(name) {}

  Result operator()(Where where, std::type_identity_t<Args>... args) const {
    if constexpr (std::is_same_v<Where, const Context&>) {
      static_assert(std::is_void_v<Result>);
      Base::operator()(where, static_cast<Args>(args)...);
      where.check_cancel(name_);
    } else {
      return Base::operator()(where, static_cast<Args>(args)...);
    }
  }

 private:
  const char* name_;
};

/// Calls fill(T()) for each integer type of pixels.
template <class Fill>
void for_integer_types(const Fill& fill) {
  fill(std::uint8_t());
  fill(std::uint16_t());
}

/// Calls fill(T()) for each type of pixels.
template <class Fill>
void for_pixel_types(const Fill& fill) {
  for_integer_types(fill);
  fill(float());
}

}  // namespace whorl::kernels

// Arguments that may lie on any device, for code that runs on the host.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

/// An array for reading on the host: the array itself, or a copy that lives as long as this object. The context is that
/// of the array's device, or any if it lies on the host.
template <class T>
class OnHost {
 public:
  OnHost(const Context& ctx, ArrayRef<const T> array)
      : copy_(is_here(array) ? Array<T>() : to_host(ctx, array)), array_(is_here(array) ? array : copy_.ref()) {}

  ArrayRef<const T> get() const { return array_; }

 private:
  static bool is_here(const ArrayRef<const T>& array) { return array.device().kind == DeviceKind::cpu; }

  Array<T> copy_;
  ArrayRef<const T> array_;
};

}  // namespace whorl

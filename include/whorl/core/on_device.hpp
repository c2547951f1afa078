// Arrays on a context's device and back, without a copy if they are there already.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// An array for reading on the context's device: the array itself, or a copy that lives as long as this object.
template <class T>
class OnDevice {
 public:
  OnDevice(const Context& ctx, ArrayRef<const T> array)
      : copy_(array.device() == ctx.device() ? Array<T>() : clone(ctx, array)),
        array_(array.device() == ctx.device() ? array : copy_.ref()) {}

  ArrayRef<const T> get() const { return array_; }

 private:
  Array<T> copy_;
  ArrayRef<const T> array_;
};

/// An array for writing on the context's device: the array itself, or a new one whose elements `deliver` copies there.
template <class T>
class ForDevice {
 public:
  ForDevice(const Context& ctx, ArrayRef<T> array)
      : ctx_(ctx), target_(array), own_(array.device() == ctx.device() ? Array<T>() : Array<T>(ctx, array.shape())) {}

  ArrayRef<T> get() { return target_.device() == ctx_.device() ? target_ : own_.ref(); }
  void deliver() {
    if (!(target_.device() == ctx_.device())) copy<T>(ctx_, own_, target_);
  }

 private:
  Context ctx_;
  ArrayRef<T> target_;
  Array<T> own_;
};

}  // namespace whorl

// Array, ArrayRef, View: Array<T> owns memory (or, by adopt and refer_to, uses that of the caller) and has a rank at
// run time. ArrayRef<T> refers to an array. Both derive from ArrayRef<const T>, the type of input parameters, so calls
// deduce T. Output parameters beside an input are ConvertedRef<T>: T is not deduced from them. The concepts Precision
// and Number (core/precision.hpp) refuse other element types. References to temporary arrays do not compile. View<T,
// Rank> has a static rank and is passed to kernels.
#include "whorl/core/array.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <functional>

#include "kernels/device_runtime.hpp"

namespace whorl::detail {

namespace {

void require_reach(const Context& ctx, Device device) {
  if (device == ctx.device() || device.kind == DeviceKind::cpu) return;
  throw DeviceError(fmt::format("an array lies on {}, the context runs on {}; copy it to the host first",
                                to_string(device), to_string(ctx.device())));
}

}  // namespace

void fill_elements(const Context& ctx, void* to, Device device, const void* value, std::size_t value_bytes,
                   Index count) {
  require_reach(ctx, device);
  if (count > 0) kernels::fill_pattern(device == ctx.device() ? ctx : ctx.host(), to, value, value_bytes, count);
}

// The elements are those of the other array already. Throws where only some are.
bool is_same_memory(const void* from, Device from_device, const void* to, Device to_device, std::size_t bytes) {
  if (!(from_device == to_device) || bytes == 0) return false;
  if (from == to) return true;
  const auto* const a = static_cast<const std::byte*>(from);
  const auto* const b = static_cast<const std::byte*>(to);
  const std::less<const std::byte*> before;
  if (before(a, b + bytes) && before(b, a + bytes)) {
    throw ValueError("copy: the two arrays overlap in memory; the result needs memory of its own");
  }
  return false;
}

void copy_elements(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                   std::size_t bytes) {
  require_reach(ctx, to_device);
  require_reach(ctx, from_device);
  if (is_same_memory(from, from_device, to, to_device, bytes)) return;
  if (bytes > 0) kernels::copy_bytes(ctx, to, to_device, from, from_device, bytes);
}

}  // namespace whorl::detail

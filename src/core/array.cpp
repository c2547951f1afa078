#include "whorl/core/array.hpp"

#include <fmt/format.h>

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

void copy_elements(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                   std::size_t bytes) {
  require_reach(ctx, to_device);
  require_reach(ctx, from_device);
  if (bytes > 0) kernels::copy_bytes(ctx, to, to_device, from, from_device, bytes);
}

}  // namespace whorl::detail

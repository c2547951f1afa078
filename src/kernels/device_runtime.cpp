#include "kernels/device_runtime.hpp"

#include <array>

namespace whorl::kernels {

namespace {

std::array<const DeviceRuntime*, device_kinds>& runtimes() {
  static std::array<const DeviceRuntime*, device_kinds> list{};
  return list;
}

}  // namespace

void set_runtime(DeviceKind kind, const DeviceRuntime& runtime) {
  runtimes()[static_cast<std::size_t>(kind)] = &runtime;
}

const DeviceRuntime* runtime_of(DeviceKind kind) {
  register_core(kind);
  return runtimes()[static_cast<std::size_t>(kind)];
}

}  // namespace whorl::kernels

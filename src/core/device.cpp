#include "whorl/core/device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "kernels/device_runtime.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr std::string_view cuda = "cuda";

// The index in "cuda:INDEX", or -1 for another text.
int index_of(std::string_view text) {
  text.remove_prefix(cuda.size());
  if (text.empty()) return 0;
  text.remove_prefix(1);
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() ? index : -1;
}

}  // namespace

std::string to_string(Device device) {
  return device.kind == DeviceKind::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

void require_device(Device device) {
  const kernels::DeviceRuntime* runtime = kernels::runtime_of(device.kind);
  if (runtime == nullptr) {
    throw DeviceError(
        fmt::format("device '{}': {}; use cpu or auto", to_string(device), kernels::register_core(device.kind)));
  }
  const int count = runtime->count();
  if (count == 0) {
    throw DeviceError(fmt::format("device '{}': {}; use cpu or auto", to_string(device), runtime->why_none()));
  }
  if (device.index < 0 || device.index >= count) {
    throw DeviceError(fmt::format("device '{}': this machine has {}; expected an index from 0 to {}", to_string(device),
                                  count == 1 ? "one" : std::to_string(count), count - 1));
  }
}

std::string describe(Device device) {
  require_device(device);
  const kernels::DeviceRuntime& runtime = *kernels::runtime_of(device.kind);
  return fmt::format("{}, {:.1f} GiB free", runtime.name(device.index),
                     static_cast<double>(runtime.free_bytes(device.index)) / (1 << 30));
}

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device{};
  if (text == "auto") {
    const kernels::DeviceRuntime* runtime = kernels::runtime_of(DeviceKind::cuda);
    return runtime != nullptr && runtime->count() > 0 ? Device{DeviceKind::cuda, 0} : Device{};
  }
  if (text == cuda || text.starts_with("cuda:")) {
    const Device device{DeviceKind::cuda, index_of(text)};
    if (device.index >= 0) {
      require_device(device);
      return device;
    }
  }
  throw ValueError(fmt::format("device '{}' is not known: expected auto, cpu, cuda or cuda:INDEX", text));
}

}  // namespace whorl

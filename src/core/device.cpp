#include "whorl/core/device.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl {

std::string to_string(Device device) {
  return device.kind == DeviceKind::cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

Device parse_device(const std::string& text) {
  if (text == "cpu" || text == "auto") return Device{};
  if (text == "cuda" || text.starts_with("cuda:")) {
    throw DeviceError(
        fmt::format("device '{}': this build of whorl runs on the CPU alone; use --device cpu or auto", text));
  }
  throw ValueError(fmt::format("device '{}' is not known: expected auto, cpu, cuda or cuda:INDEX", text));
}

}  // namespace whorl

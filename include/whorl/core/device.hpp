// Device on which memory lies and work runs.
#pragma once

#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class DeviceKind { cpu, cuda };

inline constexpr int device_kinds = 2;

/// A processor: the host's CPU, or the GPU of a given index.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0", ...
std::string to_string(Device device);

/// Throws DeviceError if this build or this machine does not have the device.
void require_device(Device device);

/// The name of a device and its free memory: "NVIDIA H200, 139.2 GiB free". Throws as require_device.
std::string describe(Device device);

/// Reads "auto", "cpu", "cuda" or "cuda:INDEX". "auto" is the best device that this build and this machine offer.
/// Throws ValueError for any other text, DeviceError if there is no such device.
Device parse_device(const std::string& text);

}  // namespace whorl

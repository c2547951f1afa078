// The host's memory.
#pragma once

#include "kernels/device_runtime.hpp"

namespace whorl::backend::cpu {

const kernels::DeviceRuntime& runtime();

void copy_bytes(const Context& ctx, void* to, Device to_device, const void* from, Device from_device,
                std::size_t bytes);
void fill_pattern(const Context& ctx, void* to, const void* pattern, std::size_t pattern_bytes, Index count);

}  // namespace whorl::backend::cpu

// The measured peak rates of a device.
#pragma once

#include "whorl/core/context.hpp"

namespace whorl::studies {

struct DeviceLimits {
  double bytes_per_s = 0;  ///< of memory: reads and writes of a copy that no cache holds
  double flops = 0;        ///< multiply-adds of single precision, as two each, by all threads and the widest vectors
};

/// Measures for several tenths of a second.
DeviceLimits device_limits(const Context& ctx);

}  // namespace whorl::studies

// Kernel family: checks of sample positions on a device.
#pragma once

#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

namespace whorl::kernels {

/// Whether every number is finite and of magnitude `limit` at most.
inline Kernel<bool(const Context&, ArrayRef<const double>, double)> all_at_most{"trajectory"};

}  // namespace whorl::kernels

// The host's memory.
#pragma once

#include "kernels/device_runtime.hpp"

namespace whorl::backend::cpu {

/// The part of register_kernels that memory needs: programs that only read files do with it (test/fuzz).
void register_runtime();

}  // namespace whorl::backend::cpu

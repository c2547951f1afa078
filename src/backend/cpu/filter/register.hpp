// The kernels of filters for the CPU, in one list.
#pragma once

namespace whorl::backend::cpu {

void register_filters();

}  // namespace whorl::backend::cpu

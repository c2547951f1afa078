// The kernels of filters for NVIDIA GPUs, in one list.
#pragma once

namespace whorl::backend::cuda {

void register_filters();

}  // namespace whorl::backend::cuda

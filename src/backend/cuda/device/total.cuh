// The sum of partial sums, for the host.
#pragma once

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

static __global__ void __launch_bounds__(loop_threads) total_kernel(int count, const double* partial, double* total) {
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) sum += partial[i];
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) *total = sum;
}

/// Waits for the device.
inline double total_for_host(const Context& ctx, const char* name, const Array<double>& partial) {
  auto* const total = static_cast<double*>(mailbox_of(ctx));
  launch(ctx, name, total_kernel, {grid_of(1), loop_threads}, static_cast<int>(partial.size()), partial.data(), total);
  ctx.synchronize();
  return *total;
}

}  // namespace whorl::backend::cuda

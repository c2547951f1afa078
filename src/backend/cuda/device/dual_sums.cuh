// The sums of a dual step: each block leaves its part, and one block adds them in a fixed order.
#pragma once

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/penalties/shrink.hpp"

namespace whorl::backend::cuda {

static __global__ void __launch_bounds__(loop_threads)
    add_dual_sums(int count, const double2* partial, double2* total) {
  double value = 0;
  double change = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) {
    value += partial[i].x;
    change += partial[i].y;
  }
  value = block_sum<loop_threads>(value);
  change = block_sum<loop_threads>(change);
  if (threadIdx.x == 0) *total = {value, change};
}

class DualSumsOfBlocks {
 public:
  /// For a kernel that walks over `elements`.
  DualSumsOfBlocks(const Context& ctx, Index elements)
      : blocks_(partial_sums(elements)), partial_(ctx, {2 * Index{blocks_}}) {}

  int blocks() const { return blocks_; }
  /// One of value and change for each block.
  double2* partial() { return reinterpret_cast<double2*>(partial_.data()); }
  /// Waits for the device.
  kernels::DualSums total(const Context& ctx, const char* operation) {
    auto* const result = static_cast<double2*>(mailbox_of(ctx));
    launch(ctx, operation, add_dual_sums, {grid_of(1), loop_threads}, blocks_, partial(), result);
    ctx.synchronize();
    return {result->x, result->y};
  }

 private:
  int blocks_;
  Array<double> partial_;
};

}  // namespace whorl::backend::cuda

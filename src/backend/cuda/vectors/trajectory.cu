#include "kernels/trajectory.hpp"

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// A comparison with a number that is none is false.
__global__ void find_others(Index count, const double* __restrict__ values, double limit, int* found) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  bool others = false;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    others |= !(fabs(values[i]) <= limit);
  }
  if (__syncthreads_or(others) != 0 && threadIdx.x == 0) *found = 1;
}

bool all_at_most(const Context& ctx, ArrayRef<const double> values, double limit) {
  if (values.size() == 0) return true;
  auto* found = static_cast<int*>(mailbox_of(ctx));
  *found = 0;
  find_others<<<loop_blocks(ctx, values.size()), loop_threads, 0, stream_of(ctx)>>>(values.size(), values.data(), limit,
                                                                                    found);
  check_launch("all_at_most");
  ctx.synchronize();
  return *found == 0;
}

}  // namespace

void register_trajectory() { kernels::all_at_most.set(DeviceKind::cuda, all_at_most); }

}  // namespace whorl::backend::cuda

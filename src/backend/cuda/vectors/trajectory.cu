// Checks of sample positions on a GPU.
#include "kernels/trajectory.hpp"

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// Comparisons with NaN are false.
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
  launch_loop(ctx, "all_at_most", find_others, values.size(), values.size(), values.data(), limit, found);
  ctx.synchronize();
  return *found == 0;
}

}  // namespace

void register_trajectory() { kernels::all_at_most.set(DeviceKind::cuda, all_at_most); }

}  // namespace whorl::backend::cuda

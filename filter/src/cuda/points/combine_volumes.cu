#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/multiply_add.hpp"
#include "filter/src/kernels/points/combine_volumes.hpp"

namespace whorl::backend::cuda {

namespace {

template <int parts>
__global__ void __launch_bounds__(loop_threads)
    root_sum_of_squares_kernel(Index groups, Index coils, Index pixels, const float* __restrict__ from,
                               float* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < groups * pixels; i += stride) {
    const Index first = i / pixels * coils * pixels + i % pixels;
    float sum = 0;
    for (Index coil = 0; coil < coils; ++coil) {
      if constexpr (parts == 1) {
        const float v = __ldg(from + first + coil * pixels);
        sum = kernels::multiply_add(v, v, sum);
      } else {
        const float2 v = __ldg(reinterpret_cast<const float2*>(from) + first + coil * pixels);
        sum = kernels::multiply_add(v.x, v.x, kernels::multiply_add(v.y, v.y, sum));
      }
    }
    to[i] = sqrtf(sum);
  }
}

void combine_volumes(const Context& ctx, Index groups, Index coils, Index pixels, int parts, const float* from,
                     float* to) {
  const auto kernel = parts == 1 ? root_sum_of_squares_kernel<1> : root_sum_of_squares_kernel<2>;
  launch_loop(ctx, "root-sum-of-squares", kernel, groups * pixels, groups, coils, pixels, from, to);
}

}  // namespace

void register_combine_volumes() { kernels::combine_volumes.set(DeviceKind::cuda, combine_volumes); }

}  // namespace whorl::backend::cuda

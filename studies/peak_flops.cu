#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "studies/peak_flops.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies {

namespace {

constexpr int sums = 8;
constexpr int rounds = 4096;

__global__ void multiply_add_kernel(float factor, float* result) {
  float sum[sums];
#pragma unroll
  for (int i = 0; i < sums; ++i) sum[i] = static_cast<float>(threadIdx.x + i);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < sums; ++i) sum[i] = fmaf(sum[i], factor, 1.0F);
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < sums; ++i) total += sum[i];
  // Never true, but the compiler does not know this, so it must compute the sums.
  if (total == -1) *result = total;
}

}  // namespace

double peak_work_on_gpu(const Context& ctx) {
  using namespace backend::cuda;
  Array<float> result(ctx, {1});
  constexpr int waves = 4;
  const unsigned blocks = waves * static_cast<unsigned>(properties_of(ctx).multiProcessorCount) * (2048 / loop_threads);
  multiply_add_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(0.5F, result.data());
  check_launch("multiply_add");
  return 2.0 * sums * rounds * blocks * loop_threads;
}

}  // namespace whorl::studies

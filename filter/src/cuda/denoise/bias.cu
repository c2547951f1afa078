#include "filter/src/kernels/denoise/bias.hpp"

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::MaskedSum;

// Stores the sum over a block's threads for the next kernel.
__device__ void leave_sum(MaskedSum mine, MaskedSum* parts) {
  const double sum = block_sum<loop_threads>(mine.sum);
  const double count = block_sum<loop_threads>(mine.count);
  if (threadIdx.x == 0) parts[blockIdx.x] = {sum, count};
}

__global__ void sum_kernel(Index count, const float* __restrict__ image, MaskedSum* parts) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  MaskedSum mine;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    mine.sum += image[i];
    mine.count += 1;
  }
  leave_sum(mine, parts);
}

__global__ void normalize_kernel(Index count, kernels::BiasMask mask, const MaskedSum* __restrict__ image_sum,
                                 const float* __restrict__ image, const float* __restrict__ share,
                                 float* __restrict__ logs, MaskedSum* parts) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const double mean = image_sum->mean();
  MaskedSum mine;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    logs[i] /= share[i] > kernels::least_share ? share[i] : kernels::least_share;
    if (!mask.holds(image[i], mean)) continue;
    mine.sum += logs[i];
    mine.count += 1;
  }
  leave_sum(mine, parts);
}

__global__ void add_parts(int count, const MaskedSum* __restrict__ parts, MaskedSum* sum) {
  MaskedSum mine;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += loop_threads) {
    mine.sum += parts[i].sum;
    mine.count += parts[i].count;
  }
  leave_sum(mine, sum);
}

__global__ void logs_kernel(Index count, kernels::BiasMask mask, const MaskedSum* __restrict__ image_sum,
                            const float* __restrict__ image, float* __restrict__ logs, float* __restrict__ share) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const double mean = image_sum->mean();
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const bool inside = mask.holds(image[i], mean);
    logs[i] = inside ? static_cast<float>(log(image[i] / (mean > 0 ? mean : 1))) : 0.0F;
    share[i] = inside ? 1.0F : 0.0F;
  }
}

__global__ void apply_kernel(Index count, bool field, const MaskedSum* __restrict__ log_sum,
                             const float* __restrict__ logs, float* __restrict__ image) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const double mean = log_sum->mean();
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const double here = exp(logs[i] - mean);
    image[i] = static_cast<float>(field ? here : image[i] / here);
  }
}

void sum_pixels(const Context& ctx, Index count, const float* image, MaskedSum* sum) {
  const int blocks = partial_sums(count);
  Array<MaskedSum> parts(ctx, {blocks});
  launch(ctx, "bias", sum_kernel, {grid_of(blocks), loop_threads}, count, image, parts.data());
  launch(ctx, "bias", add_parts, {1, loop_threads}, blocks, parts.data(), sum);
}

void bias_logs(const Context& ctx, Index count, const kernels::BiasMask& mask, const MaskedSum* image_sum,
               const float* image, float* logs, float* share) {
  launch_loop(ctx, "bias", logs_kernel, count, count, mask, image_sum, image, logs, share);
}

void bias_normalize(const Context& ctx, Index count, const kernels::BiasMask& mask, const MaskedSum* image_sum,
                    const float* image, const float* share, float* logs, MaskedSum* sum) {
  const int blocks = partial_sums(count);
  Array<MaskedSum> parts(ctx, {blocks});
  launch(ctx, "bias", normalize_kernel, {grid_of(blocks), loop_threads}, count, mask, image_sum, image, share, logs,
         parts.data());
  launch(ctx, "bias", add_parts, {1, loop_threads}, blocks, parts.data(), sum);
}

void bias_apply(const Context& ctx, Index count, bool field, const MaskedSum* log_sum, const float* logs,
                float* image) {
  launch_loop(ctx, "bias", apply_kernel, count, count, field, log_sum, logs, image);
}

}  // namespace

void register_bias() {
  kernels::bias_apply.set(DeviceKind::cuda, bias_apply);
  kernels::bias_logs.set(DeviceKind::cuda, bias_logs);
  kernels::bias_normalize.set(DeviceKind::cuda, bias_normalize);
  kernels::sum_pixels.set(DeviceKind::cuda, sum_pixels);
}

}  // namespace whorl::backend::cuda

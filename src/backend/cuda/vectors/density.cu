// Density weights on a GPU.
#include "kernels/density.hpp"

#include <limits>

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::PipeMenonSums;

__device__ PipeMenonSums sum_over_block(const PipeMenonSums& mine) {
  return {block_sum<loop_threads>(mine.total), block_sum<loop_threads>(mine.deviation)};
}

template <class Real>
__global__ void __launch_bounds__(loop_threads)
    step_kernel(Index samples, kernels::PipeMenonStep step, const Complex2<Real>* __restrict__ convolved,
                const Real* __restrict__ areas, Real* previous, Complex2<Real>* weights, PipeMenonSums* partial) {
  PipeMenonSums sums;
  for (Index j = blockIdx.x * Index{loop_threads} + threadIdx.x; j < samples; j += Index{gridDim.x} * loop_threads) {
    const double before = weights[j].x;
    const double density = convolved[j].x;
    const double pulled = step.pull > 0 ? step.pull * double(areas[j]) : 0;
    const double after = (before + pulled) / (density + step.pull);
    const double deviation = density - 1 + step.pull - pulled / before;
    sums.total += before;
    sums.deviation += before * deviation * deviation;
    const double ratio = after / double(previous[j]);
    weights[j] = {static_cast<Real>(step.momentum > 0 ? after * pow(ratio, step.momentum) : after), 0};
    previous[j] = static_cast<Real>(after);
  }
  sums = sum_over_block(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

__global__ void __launch_bounds__(loop_threads)
    step_total(int count, const PipeMenonSums* partial, PipeMenonSums* total) {
  PipeMenonSums sums;
  for (int i = threadIdx.x; i < count; i += loop_threads) {
    sums.total += partial[i].total;
    sums.deviation += partial[i].deviation;
  }
  sums = sum_over_block(sums);
  if (threadIdx.x == 0) *total = sums;
}

template <class Real>
__global__ void __launch_bounds__(loop_threads)
    weights_partial(Index count, const Real* __restrict__ weights, double not_a_number, double* partial) {
  double sum = 0;
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < count; i += Index{gridDim.x} * loop_threads) {
    const Real weight = weights[i];
    sum += isfinite(weight) && weight >= 0 ? double(weight) : not_a_number;
  }
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(loop_threads) weights_total(int count, const double* partial, double* total) {
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) sum += partial[i];
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <class Real>
__global__ void scale_kernel(Index count, double factor, const Real* x, Real* y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    y[i] = static_cast<Real>(factor * double(x[i]));
  }
}

template <class Real>
kernels::PipeMenonSums pipe_menon_step(const Context& ctx, Index samples, const kernels::PipeMenonStep& step,
                                       const std::complex<Real>* convolved, const Real* areas, Real* previous,
                                       std::complex<Real>* weights) {
  const int blocks = partial_sums(samples);
  Array<PipeMenonSums> partial(ctx, {blocks});
  auto* total = static_cast<PipeMenonSums*>(mailbox_of(ctx));
  launch(ctx, "pipe_menon_step", step_kernel<Real>, {blocks, loop_threads}, samples, step, as_device(convolved), areas,
         previous, as_device(weights), partial.data());
  launch(ctx, "pipe_menon_step", step_total, {1, loop_threads}, blocks, partial.data(), total);
  ctx.synchronize();
  return *total;
}

template <class Real>
double sum_of_weights(const Context& ctx, Index count, const Real* weights) {
  const int blocks = partial_sums(count);
  Array<double> partial(ctx, {blocks});
  auto* total = static_cast<double*>(mailbox_of(ctx));
  launch(ctx, "sum_of_weights", weights_partial<Real>, {blocks, loop_threads}, count, weights,
         std::numeric_limits<double>::quiet_NaN(), partial.data());
  launch(ctx, "sum_of_weights", weights_total, {1, loop_threads}, blocks, partial.data(), total);
  ctx.synchronize();
  return *total;
}

template <class Real>
void scale(const Context& ctx, Index count, double factor, const Real* x, Real* y) {
  launch_loop(ctx, "scale", scale_kernel<Real>, count, count, factor, x, y);
}

}  // namespace

void register_density() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::pipe_menon_step<Real>.set(DeviceKind::cuda, pipe_menon_step<Real>);
    kernels::sum_of_weights<Real>.set(DeviceKind::cuda, sum_of_weights<Real>);
    kernels::scale<Real>.set(DeviceKind::cuda, scale<Real>);
  });
}

}  // namespace whorl::backend::cuda

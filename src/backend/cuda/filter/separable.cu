// One kernel for each pass, for any window: a thread makes one number from what lies above and below it, or left and
// right of it. What is near is read from the caches.
#include <algorithm>
#include <type_traits>

#include "backend/cuda/filter/separable.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/filter/separable_taps.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace kernels;

template <class T>
using TapOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

TwoPasses<std::int16_t> passes_of(const SeparableTaps& taps, std::int16_t /*tap*/) { return fixed_taps(taps); }
TwoPasses<float> passes_of(const SeparableTaps& taps, float /*tap*/) { return float_taps(taps); }

// A pass along lines of `length` numbers, `step` apart. Numbers at i, i + step, ... i + (length - 1) step for i from k
// length step to (k length + 1) step are a line each.
template <class In, class Tap>
struct PassJob {
  Index numbers, length, step;
  Border border;
  In beyond;
  bool symmetric;
  int shift;
  int radius;
  Tap taps[longest_taps];
};

__device__ inline int sum_of(const std::int16_t* taps, bool /*symmetric*/, int radius, int shift, auto number) {
  int sum = 1 << shift >> 1;
  for (int k = -radius; k <= radius; ++k) sum += taps[radius + k] * static_cast<int>(number(k));
  return sum >> shift;
}

__device__ inline float sum_of(const float* taps, bool symmetric, int radius, int /*shift*/, auto number) {
  float sum = 0;
  if (symmetric) {
    sum = __fmul_rn(taps[radius], static_cast<float>(number(0)));
    for (int k = 1; k <= radius; ++k) {
      const float both = __fadd_rn(static_cast<float>(number(-k)), static_cast<float>(number(k)));
      sum = __fmaf_rn(taps[radius + k], both, sum);
    }
  } else {
    for (int k = -radius; k <= radius; ++k) sum = __fmaf_rn(taps[radius + k], static_cast<float>(number(k)), sum);
  }
  return sum;
}

__device__ inline void store_number(int value, std::int16_t& to) { to = static_cast<std::int16_t>(value); }
__device__ inline void store_number(int value, std::uint8_t& to) {
  to = static_cast<std::uint8_t>(min(max(value, 0), 255));
}
__device__ inline void store_number(float value, float& to) { to = value; }
__device__ inline void store_number(float value, std::uint16_t& to) {
  to = static_cast<std::uint16_t>(fminf(fmaxf(__fadd_rn(value, 0.5F), 0.0F), 65535.0F));
}

template <class In, class Out, class Tap>
__global__ void __launch_bounds__(loop_threads)
    pass_kernel(const __grid_constant__ PassJob<In, Tap> job, const In* __restrict__ from, Out* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < job.numbers; i += stride) {
    const Index at = i / job.step % job.length;
    const In* own = from + i;
    if (at >= job.radius && at + job.radius < job.length) {
      store_number(sum_of(job.taps, job.symmetric, job.radius, job.shift, [&](int k) { return own[k * job.step]; }),
                   to[i]);
    } else {
      const auto number = [&](int k) {
        const Index source = border_index(job.border, at + k, job.length);
        return source < 0 ? job.beyond : own[(source - at) * job.step];
      };
      store_number(sum_of(job.taps, job.symmetric, job.radius, job.shift, number), to[i]);
    }
  }
}

template <class In, class Out, class Tap>
void run_pass(const Context& ctx, Index numbers, Index length, Index step, const PassTaps<Tap>& pass, Border border,
              In beyond, const In* from, Out* to) {
  PassJob<In, Tap> job{
      numbers, length, step, border, beyond, pass.symmetric, pass.shift, static_cast<int>(pass.radius()), {}};
  std::copy(pass.taps.begin(), pass.taps.end(), job.taps);
  pass_kernel<In, Out, Tap><<<loop_blocks(ctx, numbers), loop_threads, 0, stream_of(ctx)>>>(job, from, to);
  check_launch("separable");
}

}  // namespace

template <class T>
void separable(const Context& ctx, const ImageFormat& format, const SeparableTaps& taps, const BorderOptions& border,
               const T* from, T* to) {
  using Between = TapOf<T>;
  const auto passes = passes_of(taps, Between{});
  const Index numbers = format.shape().size();
  const T beyond = border_number<T>(border);
  Array<Between> between(ctx, {numbers});
  run_pass(ctx, numbers, format.height, format.row(), passes.y, border.border, beyond, from, between.data());
  run_pass(ctx, numbers, format.width, count_of(format.channels), passes.x, border.border,
           static_cast<Between>(pass_of_constant(passes.y, beyond)), between.data(), to);
}

#define WHORL_INSTANTIATE(T) \
  template void separable(const Context&, const ImageFormat&, const SeparableTaps&, const BorderOptions&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda

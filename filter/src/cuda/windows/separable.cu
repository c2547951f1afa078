// Sums over windows that are a column times a row, on an NVIDIA GPU. The first code in this list that takes the image
// and the window is used:
//
//   bytes, few taps                       small_windows    goes down strips of rows, all in registers
//   bytes, no negative taps               byte_windows     both passes as products of matrices on the tensor cores
//   floats, equal radii of 1 or 2         stencil_window   up to 25 products take less than two passes (stencil.cu)
//   floats, a symmetric window            float_windows    both passes in one kernel
//   all others                            here             a kernel for each pass: a thread makes several numbers from
//                                                          their neighbors, which the caches hold
//
// small_windows, stencil_window and float_windows do point operations in their load and store; for the others these are
// passes of their own.
#include <algorithm>
#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/points/point_ends.hpp"
#include "filter/src/cuda/windows/byte_windows.hpp"
#include "filter/src/cuda/windows/float_windows.hpp"
#include "filter/src/cuda/windows/small_windows.hpp"
#include "filter/src/cuda/windows/stencil.hpp"
#include "filter/src/kernels/windows/separable_taps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace kernels;

template <class T>
using TapOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

TwoPasses<std::int16_t> passes_of(const SeparableTaps& taps, std::int16_t /*tap*/) { return fixed_taps(taps); }
TwoPasses<float> passes_of(const SeparableTaps& taps, float /*tap*/) { return float_taps(taps); }

// Rows of `row` numbers; along y, row r is row r % height of its slice.
template <class In, class Tap>
struct PassJob {
  Index rows, row, height;
  int channels;
  Border border;
  In beyond;
  bool symmetric;
  int shift;
  int radius;
  Tap taps[longest_taps];
};

// The count of numbers that a thread makes, from taps that it reads once.
constexpr int numbers_at_once = 4;

// number(n, k): neighbor k of the thread's number n.
template <class Number>
__device__ inline void sum_of(const std::int16_t* taps, bool /*symmetric*/, int radius, int shift, const Number& number,
                              int (&sums)[numbers_at_once]) {
  for (int& sum : sums) sum = 1 << shift >> 1;
  for (int k = -radius; k <= radius; ++k) {
#pragma unroll
    for (int n = 0; n < numbers_at_once; ++n) sums[n] += taps[radius + k] * static_cast<int>(number(n, k));
  }
  for (int& sum : sums) sum >>= shift;
}

template <class Number>
__device__ inline void sum_of(const float* taps, bool symmetric, int radius, int /*shift*/, const Number& number,
                              float (&sums)[numbers_at_once]) {
  if (symmetric) {
#pragma unroll
    for (int n = 0; n < numbers_at_once; ++n) sums[n] = __fmul_rn(taps[radius], static_cast<float>(number(n, 0)));
    for (int k = 1; k <= radius; ++k) {
#pragma unroll
      for (int n = 0; n < numbers_at_once; ++n) {
        const float both = __fadd_rn(static_cast<float>(number(n, -k)), static_cast<float>(number(n, k)));
        sums[n] = __fmaf_rn(taps[radius + k], both, sums[n]);
      }
    }
  } else {
    for (float& sum : sums) sum = 0;
    for (int k = -radius; k <= radius; ++k) {
#pragma unroll
      for (int n = 0; n < numbers_at_once; ++n) {
        sums[n] = __fmaf_rn(taps[radius + k], static_cast<float>(number(n, k)), sums[n]);
      }
    }
  }
}

__device__ inline void store_number(int value, std::int16_t& to) { to = static_cast<std::int16_t>(value); }
__device__ inline void store_number(int value, std::uint8_t& to) {
  to = static_cast<std::uint8_t>(min(max(value, 0), 255));
}
__device__ inline void store_number(float value, float& to) { to = value; }
__device__ inline void store_number(float value, std::uint16_t& to) {
  to = static_cast<std::uint16_t>(fminf(fmaxf(__fadd_rn(value, 0.5F), 0.0F), 65535.0F));
}

template <bool kAlongX, class In, class Out, class Tap>
__global__ void __launch_bounds__(loop_threads)
    pass_kernel(const __grid_constant__ PassJob<In, Tap> job, const In* __restrict__ from, Out* __restrict__ to) {
  const Index first = blockIdx.x * Index{loop_threads * numbers_at_once} + threadIdx.x;
  const Index last = first + loop_threads * (numbers_at_once - 1);
  const Index reach = Index{job.radius} * job.channels;
  for (Index r = blockIdx.y; r < job.rows; r += gridDim.y) {
    const Index y = r % job.height;
    const In* own = from + r * job.row;
    const bool inside = last < job.row && (kAlongX ? first >= reach && last + reach < job.row
                                                   : y >= job.radius && y + job.radius < job.height);
    std::conditional_t<std::is_same_v<Tap, float>, float, int> sums[numbers_at_once];
    if (inside) {
      const Index step = kAlongX ? job.channels : job.row;
      sum_of(
          job.taps, job.symmetric, job.radius, job.shift,
          [&](int n, int k) { return own[first + n * loop_threads + k * step]; }, sums);
    } else {
      const auto number = [&](int n, int k) {
        const Index x = min(first + n * loop_threads, job.row - 1);
        if constexpr (kAlongX) {
          const Index pixel = x / job.channels;
          const Index source = border_index(job.border, pixel + k, job.row / job.channels);
          return source < 0 ? job.beyond : own[x + (source - pixel) * job.channels];
        } else {
          const Index source = border_index(job.border, y + k, job.height);
          return source < 0 ? job.beyond : own[x + (source - y) * job.row];
        }
      };
      sum_of(job.taps, job.symmetric, job.radius, job.shift, number, sums);
    }
#pragma unroll
    for (int n = 0; n < numbers_at_once; ++n) {
      const Index x = first + n * loop_threads;
      if (x < job.row) store_number(sums[n], to[r * job.row + x]);
    }
  }
}

template <bool kAlongX, class In, class Out, class Tap>
void run_pass(const Context& ctx, const ImageFormat& format, const PassTaps<Tap>& pass, Border border, In beyond,
              const In* from, Out* to) {
  PassJob<In, Tap> job{format.slices() * format.height,
                       format.row(),
                       format.height,
                       count_of(format.channels),
                       border,
                       beyond,
                       pass.symmetric,
                       pass.shift,
                       static_cast<int>(pass.radius()),
                       {}};
  std::copy(pass.taps.begin(), pass.taps.end(), job.taps);
  constexpr Index across = loop_threads * numbers_at_once;
  constexpr Index most_rows = 65535;
  const dim3 blocks(static_cast<unsigned>(divide_up(job.row, across)),
                    static_cast<unsigned>(std::min(job.rows, most_rows)));
  launch(ctx, "separable", pass_kernel<kAlongX, In, Out, Tap>, {blocks, loop_threads}, job, from, to);
}

Stencil stencil_of(const TwoPasses<float>& passes, Border border, float beyond) {
  Stencil stencil;
  stencil.width = static_cast<Index>(passes.x.taps.size());
  stencil.height = static_cast<Index>(passes.y.taps.size());
  for (const float y : passes.y.taps) {
    for (const float x : passes.x.taps) stencil.reals.push_back(y * x);
  }
  stencil.border = border;
  stencil.border_value = beyond;
  return stencil;
}

// In one kernel with the operations at its ends. Returns false, and does nothing, if there is no such kernel.
template <class T>
bool sum_with_ends(const Context& ctx, const ImageFormat& format, const TwoPasses<TapOf<T>>& passes, Border border,
                   T beyond, const PointEnds& ends, const T* from, T* to) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return sum_small_windows(ctx, format, passes, border, beyond, ends, from, to);
  } else if constexpr (std::is_same_v<T, float>) {
    // The sum of up to 25 products takes less than two passes.
    constexpr Index small = 2;
    if (passes.x.radius() == passes.y.radius() && passes.x.radius() <= small &&
        correlate_window(ctx, format, stencil_of(passes, border, beyond), ends, from, to)) {
      return true;
    }
    return sum_float_windows(ctx, format, passes, border, beyond, ends, from, to);
  } else {
    return false;
  }
}

template <class T>
void separable(const Context& ctx, const ImageFormat& format, const SeparableTaps& taps, const BorderOptions& border,
               const PointEnds& ends, const void* image, void* result) {
  using Between = TapOf<T>;
  const auto passes = passes_of(taps, Between{});
  const T beyond = border_number<T>(border);
  const T* const from = static_cast<const T*>(image);
  T* const to = static_cast<T*>(result);
  if (sum_with_ends<T>(ctx, format, passes, border.border, beyond, ends, from, to)) return;
  if (ends.any()) {
    return in_passes<T, T>(ctx, format, ends, image, result, [&](const T* loaded, T* sums) {
      separable<T>(ctx, format, taps, border, {}, loaded, sums);
    });
  }
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (sum_byte_windows(ctx, format, passes, border.border, beyond, from, to)) return;
  }
  Array<Between> between(ctx, format.shape());
  run_pass<false>(ctx, format, passes.y, border.border, beyond, from, between.data());
  const auto beside = static_cast<Between>(pass_of_constant(passes.y, beyond));
  run_pass<true>(ctx, format, passes.x, border.border, beside, between.data(), to);
}

}  // namespace

void register_separable() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::separable<T>.set(DeviceKind::cuda, separable<T>);
  });
}

}  // namespace whorl::backend::cuda

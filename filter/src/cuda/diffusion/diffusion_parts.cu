// Implicit steps of diffusion along lines, a block per line. Each thread holds a part of the line in its registers and
// makes a sweep of the elimination there with the operations of a CPU (none fused, CMakeLists.txt). At first zero is
// the input from the previous part. A sweep is linear, so a scan over the threads gives the input of each part, up
// to rounding. The sweep is repeated with this input, and again for each part whose input is not exactly the last
// number of the previous part. When all inputs are exact, the bits are those of one sweep along the line. One
// repetition is enough if a part's result depends little on its input.
#include "filter/src/cuda/diffusion/diffusion_parts.hpp"

#include "backend/cuda/launch.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int pixels = 32;  // of a part
constexpr int warp_threads = 32;
constexpr int most_warps = 16;  // of a line
constexpr int levels = 5;
constexpr unsigned all_lanes = 0xFFFFFFFF;

// The tables of numbers that a step needs at each pixel.
enum Table : int { up, down, ring, tables };

// The place of a thread's first number in a table; the numbers of a warp's threads are interleaved.
__device__ Index table_start() {
  return Index{threadIdx.x / warp_threads} * (tables * pixels * warp_threads) + threadIdx.x % warp_threads;
}
constexpr __device__ int table_place(Table table, int j) { return (table * pixels + j) * warp_threads; }

// One block, with as many threads as for a line. Beyond the line's end the averages use only the zeros there, so that
// nothing is passed from part to part.
__global__ void fill_tables(Index length, const kernels::LineFactors* __restrict__ factors, float* __restrict__ to) {
  to += table_start();
  for (int j = 0; j < pixels; ++j) {
    const Index i = Index{threadIdx.x} * pixels + j;
    const kernels::LineFactors here = i < length ? factors[i] : kernels::LineFactors{1, 1, 0};
    to[table_place(up, j)] = here.up;
    to[table_place(down, j)] = here.down;
    to[table_place(ring, j)] = here.ring;
  }
}

template <bool Up, class T>
__device__ T from_lane(T value, int distance) {
  return Up ? __shfl_up_sync(all_lanes, value, distance) : __shfl_down_sync(all_lanes, value, distance);
}

// The input of each thread's part from the previous parts, up or down the line: c <- end + through c.
template <bool Up>
class Carry {
 public:
  // `through` is the share of a part's input that reaches its end. Its products are made in double and rounded once,
  // because their errors are the same in each step. `products` and both `ends`, of all warps, are in shared memory.
  __device__ Carry(double through, float* products, float* ends, float* exact_ends)
      : place_(static_cast<int>(Up ? threadIdx.x % warp_threads : warp_threads - 1 - threadIdx.x % warp_threads)),
        warp_(static_cast<int>(threadIdx.x / warp_threads)),
        products_(products),
        ends_(ends),
        exact_ends_(exact_ends) {
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      const double other = from_lane<Up>(through, 1 << level);
      const bool there = place_ >= 1 << level;
      through_[level] = there ? static_cast<float>(through) : 0;
      through *= there ? other : 1;
    }
    if (place_ == warp_threads - 1) products_[warp_] = static_cast<float>(through);
    to_lane_ = static_cast<float>(from_lane<Up>(through, 1));
    if (place_ == 0) to_lane_ = 1;
  }

  __device__ float operator()(float end) const {
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      end = fmaf(through_[level], from_lane<Up>(end, 1 << level), end);
    }
    if (place_ == warp_threads - 1) ends_[warp_] = end;
    __syncthreads();
    float into_warp = 0;
    if (Up) {
      for (int warp = 0; warp < warp_; ++warp) into_warp = fmaf(products_[warp], into_warp, ends_[warp]);
    } else {
      const int warps = static_cast<int>(blockDim.x / warp_threads);
      for (int warp = warps - 1; warp > warp_; --warp) into_warp = fmaf(products_[warp], into_warp, ends_[warp]);
    }
    const float within = from_lane<Up>(end, 1);
    return fmaf(to_lane_, into_warp, place_ == 0 ? 0 : within);
  }

  // Equal to the last bit: `sweep` computes a part's end from its input; `carry` is an approximate input.
  template <class Sweep>
  __device__ float settled(float carry, const Sweep& sweep) const {
    while (true) {
      const float end = sweep(carry);
      if (place_ == warp_threads - 1) exact_ends_[warp_] = end;
      __syncthreads();
      const int warp_before = Up ? warp_ - 1 : warp_ + 1;
      const bool is_first = warp_before < 0 || warp_before == static_cast<int>(blockDim.x / warp_threads);
      const float within = from_lane<Up>(end, 1);
      const float before = place_ != 0 ? within : is_first ? 0 : exact_ends_[warp_before];
      const bool same = __float_as_uint(before) == __float_as_uint(carry);
      if (__syncthreads_and(static_cast<int>(same)) != 0) return carry;
      carry = before;
    }
  }

 private:
  int place_;
  int warp_;
  float* products_;
  float* ends_;
  float* exact_ends_;
  float through_[levels];
  float to_lane_;
};

// The factors do not fit into registers besides the line. They are not __restrict__, so that the compiler does not keep
// them from step to step.
__global__ void __launch_bounds__(most_warps* warp_threads)
    solve_parts(kernels::Lines lines, kernels::LineSteps steps, const float* factors, float* image) {
  __shared__ float products[2][most_warps];
  __shared__ float ends[2][most_warps];
  __shared__ float exact_ends[2][most_warps];
  __shared__ float line_ends[2];
  const Index line = blockIdx.x;
  image += line / lines.inner * lines.length * lines.inner + line % lines.inner;
  factors += table_start();
  const auto factor = [&](Table table, int j) { return factors[table_place(table, j)]; };
  const int first = static_cast<int>(threadIdx.x) * pixels;
  const int there = static_cast<int>(lines.length) - first;  // pixels of the line in the part; may be negative
  const float shift = steps.held ? 0 : *image;
  image += first * lines.inner;
  float u[pixels];
  float w[pixels];
#pragma unroll
  for (int j = 0; j < pixels; ++j) u[j] = j < there ? image[j * lines.inner] - shift : 0;
  double through_up = 1;
  double through_down = 1;
#pragma unroll 1
  for (int j = 0; j < pixels; ++j) {
    through_up *= 1.0 - factor(up, j);
    through_down *= 1.0 - factor(down, j);
  }
  const Carry<true> carry_up(through_up, products[0], ends[0], exact_ends[0]);
  const Carry<false> carry_down(through_down, products[1], ends[1], exact_ends[1]);
#pragma unroll 1
  for (Index step = 0; step < steps.steps; ++step) {
    float last = 0;
#pragma unroll
    for (int j = 0; j < pixels; ++j) last = last + factor(up, j) * (u[j] - last);
    carry_up.settled(carry_up(last), [&](float value) {
#pragma unroll
      for (int j = 0; j < pixels; ++j) {
        value = value + factor(up, j) * (u[j] - value);
        w[j] = value;
      }
      return value;
    });
    float next = 0;
#pragma unroll
    for (int j = pixels - 1; j >= 0; --j) next = next + factor(down, j) * (w[j] - next);
    next = carry_down.settled(carry_down(next), [&](float value) {
#pragma unroll
      for (int j = pixels - 1; j >= 0; --j) value = value + factor(down, j) * (w[j] - value);
      return value;
    });
#pragma unroll
    for (int j = pixels - 1; j >= 0; --j) {
      next = next + factor(down, j) * (w[j] - next);
      w[j] = next;
    }
    if (steps.correction != 0) {
      if (first == 0) line_ends[0] = w[0];
#pragma unroll
      for (int j = 0; j < pixels; ++j) {
        if (j == there - 1) line_ends[1] = w[j];
      }
      __syncthreads();
      const float both = steps.correction * (line_ends[0] + line_ends[1]);
#pragma unroll
      for (int j = 0; j < pixels; ++j) w[j] = w[j] + factor(ring, j) * both;
    }
    // A product by 0 or 1 is exact.
#pragma unroll
    for (int j = 0; j < pixels; ++j) u[j] = fmaf(steps.extrapolation, w[j] - u[j], w[j]);
  }
#pragma unroll
  for (int j = 0; j < pixels; ++j) {
    if (j < there) image[j * lines.inner] = u[j] + shift;
  }
}

}  // namespace

void diffuse_in_parts(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                      const kernels::LineFactors* factors, float* image) {
  constexpr Index pixels_of_warp = pixels * warp_threads;
  static_assert(longest_in_parts == most_warps * pixels_of_warp);
  const Index warps = divide_up(lines.length, pixels_of_warp);
  Array<float> arranged(ctx, {warps * tables * pixels_of_warp});
  const auto threads = static_cast<unsigned>(warps * warp_threads);
  launch(ctx, "diffuse_lines", fill_tables, {1, threads}, lines.length, factors, arranged.data());
  launch(ctx, "diffuse_lines", solve_parts, {grid_of(lines.outer * lines.inner), threads}, lines, steps,
         arranged.data(), image);
}

}  // namespace whorl::backend::cuda

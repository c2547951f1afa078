// Implicit steps of diffusion along lines, on an NVIDIA GPU. Which kernel takes which lines:
//
//   65 to 16384 pixels   diffusion_parts   a block per line, which stays in registers during all steps; lines that are not
//                                          contiguous are transposed first
//   all others           solve_lines       here: a thread per line, because there are many short lines. Lines along rows
//                                          are transposed, so that neighboring threads read neighboring numbers
//
// Compiled without fused operations (CMakeLists.txt): the same bits as on a CPU.
#include <algorithm>

#include "backend/cuda/device/transpose.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/diffusion/diffusion_parts.hpp"
#include "filter/src/kernels/diffusion/diffusion.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

// The count of numbers that are loaded ahead of the recurrence, whose steps depend on each other,
constexpr int ahead = 16;
// and of numbers that are prefetched before that.
constexpr int far_ahead = 4 * ahead;

__device__ void bring_near(const float* number) { asm volatile("prefetch.global.L2 [%0];" : : "l"(number)); }

// Loads numbers of a line from one place on, as many as there are.
__device__ void load_ahead(const float* line, Index step, Index there, float (&numbers)[ahead]) {
  if (there >= far_ahead + ahead) {
    const float* beyond = line + far_ahead * step;
#pragma unroll
    for (int j = 0; j < ahead; ++j, beyond += step) bring_near(beyond);
  }
  if (there >= ahead) {
#pragma unroll
    for (int j = 0; j < ahead; ++j, line += step) numbers[j] = *line;
  } else {
#pragma unroll
    for (int j = 0; j < ahead; ++j, line += step) {
      if (j < there) numbers[j] = *line;
    }
  }
}

// Calls visit(i, place of i, first and second number there) for i upwards or downwards. The next numbers are loaded
// while the current ones are visited.
template <bool Up, class Visit>
__device__ void along(Index length, Index apart, const float* first, const float* second, const Visit& visit) {
  const Index step = Up ? apart : -apart;
  Index place = Up ? 0 : (length - 1) * apart;
  const auto number_at = [&](Index start) { return static_cast<int>(Up ? start : length - 1 - start); };
  constexpr int direction = Up ? 1 : -1;
  const bool two = first != second;
  float next[2][ahead];
  const auto load = [&](Index start, Index from) {
    load_ahead(first + from, step, length - start, next[0]);
    if (two) load_ahead(second + from, step, length - start, next[1]);
  };
  const auto take = [&](int i, int j, const float(&numbers)[2][ahead]) {
    visit(i + j * direction, place, numbers[0][j], two ? numbers[1][j] : numbers[0][j]);
    place += step;
  };
  load(0, place);
  Index start = 0;
  // Without a condition in between, the compiler can move independent work of a visit to an earlier place.
#pragma unroll 1
  for (; start + ahead <= length; start += ahead) {
    float now[2][ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      now[0][j] = next[0][j];
      now[1][j] = next[1][j];
    }
    load(start + ahead, place + ahead * step);
    const int i = number_at(start);
#pragma unroll
    for (int j = 0; j < ahead; ++j) take(i, j, now);
  }
  const int i = number_at(start);
#pragma unroll
  for (int j = 0; j < ahead; ++j) {
    if (start + j < length) take(i, j, next);
  }
}

// A thread has a line; the lines of a warp are interleaved.
__global__ void solve_lines(kernels::Lines lines, kernels::LineSteps steps,
                            const kernels::LineFactors* __restrict__ factors, float* image, float* solutions) {
  const Index line = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (line >= lines.outer * lines.inner) return;
  const Index start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
  const Index apart = lines.inner;
  float* u = image + start;
  float* w = solutions + start;
  const float first = steps.held ? 0 : *u;
  const auto shift = [&](float by) {
    along<true>(lines.length, apart, u, u, [&](int, Index place, float here, float) { u[place] = here + by; });
  };
  shift(-first);
  for (Index step = 0; step < steps.steps; ++step) {
    float last = 0;
    along<true>(lines.length, apart, u, u, [&](int i, Index place, float here, float) {
      last = last + factors[i].up * (here - last);
      w[place] = last;
    });
    float next = 0;
    if (steps.correction == 0) {
      along<false>(lines.length, apart, w, u, [&](int i, Index place, float solved, float here) {
        next = next + factors[i].down * (solved - next);
        u[place] = next + steps.extrapolation * (next - here);
      });
      continue;
    }
    along<false>(lines.length, apart, w, w, [&](int i, Index place, float solved, float) {
      next = next + factors[i].down * (solved - next);
      w[place] = next;
    });
    const float ends = steps.correction * (next + w[(lines.length - 1) * apart]);
    along<true>(lines.length, apart, w, u, [&](int i, Index place, float solved, float here) {
      const float whole = solved + factors[i].ring * ends;
      u[place] = whole + steps.extrapolation * (whole - here);
    });
  }
  shift(first);
}

// One warp per block, so that the few lines are distributed over all multiprocessors.
constexpr int line_threads = 32;

void solve(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
           const kernels::LineFactors* factors, float* image, float* solutions) {
  const Index blocks = divide_up(lines.outer * lines.inner, line_threads);
  launch(ctx, "diffuse_lines", solve_lines, {grid_of(blocks), line_threads}, lines, steps, factors, image, solutions);
}

void diffuse_lines(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                   const kernels::LineFactors* factors, float* image) {
  constexpr Index side_by_side = 32;
  // There are many lines of few pixels, so each thread has one. With a block per line, lines that are adjacent (the
  // channels of a row) are read in place; others are transposed.
  constexpr Index short_line = 64;
  constexpr Index next_to_each_other = 4;
  const Index row = lines.length * lines.inner;
  if (lines.length > short_line && lines.length <= longest_in_parts) {
    if (lines.inner <= next_to_each_other) return diffuse_in_parts(ctx, lines, steps, factors, image);
    Array<float> turned(ctx, {lines.outer * row});
    transpose(ctx, lines.outer, lines.length, lines.inner, image, turned.data());
    diffuse_in_parts(ctx, {lines.outer * lines.inner, lines.length, 1}, steps, factors, turned.data());
    transpose(ctx, lines.outer, lines.inner, lines.length, turned.data(), image);
    return;
  }
  Array<float> other(ctx, {lines.outer * row});
  if (lines.inner >= side_by_side || lines.outer == 1) {
    solve(ctx, lines, steps, factors, image, other.data());
    return;
  }
  // Along rows: transposed, so that neighboring threads read neighboring numbers. The image is scratch meanwhile.
  transpose(ctx, 1, lines.outer, row, image, other.data());
  solve(ctx, {1, lines.length, lines.inner * lines.outer}, steps, factors, other.data(), image);
  transpose(ctx, 1, row, lines.outer, other.data(), image);
}

}  // namespace

void register_diffusion_lines() { kernels::diffuse_lines.set(DeviceKind::cuda, diffuse_lines); }

}  // namespace whorl::backend::cuda

// Implicit steps of diffusion along lines. Compiled without fused operations (CMakeLists.txt): the same bits as on a
// CPU.
#include <algorithm>

#include "backend/cuda/device/transpose.cuh"
#include "backend/cuda/filter/diffusion.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// Numbers that are read ahead of the recurrence, whose steps wait for each other.
constexpr int ahead = 16;

// Calls visit(i, first[i * apart], second[i * apart]) for i upwards or downwards; numbers are on their way while those
// before them are visited.
template <bool Up, class Visit>
__device__ void along(Index length, Index apart, const float* first, const float* second, const Visit& visit) {
  const auto place = [&](Index i) { return Up ? i : length - 1 - i; };
  float next[2][ahead];
  const auto load = [&](Index start) {
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      const Index i = place(min(start + j, length - 1));
      next[0][j] = first[i * apart];
      next[1][j] = second[i * apart];
    }
  };
  load(0);
#pragma unroll 1
  for (Index start = 0; start < length; start += ahead) {
    float now[2][ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      now[0][j] = next[0][j];
      now[1][j] = next[1][j];
    }
    load(start + ahead);
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      if (start + j < length) visit(place(start + j), now[0][j], now[1][j]);
    }
  }
}

// A thread has a line; those of a warp lie side by side.
__global__ void solve_lines(kernels::Lines lines, kernels::LineSteps steps,
                            const kernels::LineFactors* __restrict__ factors, float* image, float* solutions) {
  const Index line = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (line >= lines.outer * lines.inner) return;
  const Index start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
  const Index apart = lines.inner;
  float* u = image + start;
  float* w = solutions + start;
  for (Index step = 0; step < steps.steps; ++step) {
    float last = 0;
    along<true>(lines.length, apart, u, u, [&](Index i, float here, float) {
      last = factors[i].scale * here + factors[i].before * last;
      w[i * apart] = last;
    });
    float next = 0;
    if (steps.correction == 0) {
      along<false>(lines.length, apart, w, u, [&](Index i, float solved, float here) {
        next = solved + factors[i].after * next;
        u[i * apart] = next + steps.extrapolation * (next - here);
      });
      continue;
    }
    along<false>(lines.length, apart, w, w, [&](Index i, float solved, float) {
      next = solved + factors[i].after * next;
      w[i * apart] = next;
    });
    const float ring = steps.correction * (next + w[(lines.length - 1) * apart]);
    along<true>(lines.length, apart, w, u, [&](Index i, float solved, float here) {
      const float whole = solved + factors[i].ring * ring;
      u[i * apart] = whole + steps.extrapolation * (whole - here);
    });
  }
}

// One warp to a block: lines are few, and are to be on all processors.
constexpr int line_threads = 32;

void solve(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
           const kernels::LineFactors* factors, float* image, float* solutions) {
  const Index blocks = (lines.outer * lines.inner + line_threads - 1) / line_threads;
  solve_lines<<<static_cast<unsigned>(blocks), line_threads, 0, stream_of(ctx)>>>(lines, steps, factors, image,
                                                                                  solutions);
  check_launch("diffuse_lines");
}

}  // namespace

void diffuse_lines(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                   const kernels::LineFactors* factors, float* image) {
  const Index row = lines.length * lines.inner;
  Array<float> other(ctx, {lines.outer * row});
  constexpr Index side_by_side = 32;
  if (lines.inner >= side_by_side || lines.outer == 1) {
    solve(ctx, lines, steps, factors, image, other.data());
    return;
  }
  // Along rows: turned over, so that neighboring threads read neighboring numbers. The image is free meanwhile.
  transpose(ctx, 1, lines.outer, row, image, other.data());
  solve(ctx, {1, lines.length, lines.inner * lines.outer}, steps, factors, other.data(), image);
  transpose(ctx, 1, row, lines.outer, other.data(), image);
}

}  // namespace whorl::backend::cuda

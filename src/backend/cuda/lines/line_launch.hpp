// Launches of kernels over lines: which plan a length has, how many threads and how much shared memory a block.
#pragma once

#include <algorithm>

#include "backend/cuda/lines/line_fft.cuh"
#include "backend/cuda/lines/line_fft_tuning.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

/// Calls f<Plan, packets>() for the plan of a length in blocks of so many packets: `packets` where the kernel is made
/// for them, 0 where it takes any number.
template <class Real, class Function>
void with_plan(int length, int packets, const Function& f) {
  bool found = false;
  tuning::fixed_lines<Real>::visit(
      length, [&]<int wide_threads, int narrow_threads, int threads_at_once, int... radices>(
                  tuning::FixedLine<wide_threads, narrow_threads, threads_at_once, radices...>) {
        constexpr int wide = tuning::wide((1 * ... * radices));
        if (packets > tuning::narrow) {
          f.template operator()<StaticPlan<wide, wide_threads, threads_at_once, radices...>, wide>();
          found = true;
        } else if constexpr (narrow_threads > 0) {
          f.template
          operator()<StaticPlan<tuning::narrow, narrow_threads, threads_at_once, radices...>, tuning::narrow>();
          found = true;
        }
      });
  if (!found) f.template operator()<DynamicPlan, 0>();
}

template <class Kernel, class... Args>
void launch_lines(Kernel* kernel, dim3 blocks, int threads, int shared_bytes, cudaStream_t stream,
                  const Args&... args) {
  constexpr int without_asking = 48 << 10;
  if (shared_bytes > without_asking) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
  }
  kernel<<<blocks, static_cast<unsigned>(threads), static_cast<std::size_t>(shared_bytes), stream>>>(args...);
  check_launch("line transform");
}

inline int tile_bytes(int length, int packets) { return (length * packets + 7) / 8 * 8 * 16; }

/// How many threads share a line in blocks of so many packets.
template <class Plan>
int threads_of(const LineStages& stages, int packets) {
  if constexpr (std::is_same_v<Plan, DynamicPlan>) {
    return line_threads(stages, tuning::dynamic_block_threads / packets);
  } else {
    return Plan::threads;
  }
}

template <class Real>
KernelTables<Real> kernel_tables(const DeviceLine<Real>& line, int threads) {
  return {line.stages, threads, reinterpret_cast<const Complex<Real>*>(line.twiddle), line.head, line.place};
}

inline int round_up(int n, int by) { return (n + by - 1) / by; }

}  // namespace whorl::backend::cuda

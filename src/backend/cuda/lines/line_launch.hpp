// Launches of kernels over lines: the plan of a length, the threads and the shared memory of a block.
#pragma once

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/lines/line_fft.cuh"
#include "backend/cuda/lines/line_fft_tuning.hpp"

namespace whorl::backend::cuda {

/// Calls f<Plan, width>() for the plan of a length in blocks of `packets` packets. `width` is `packets` if there is a
/// kernel for that number, otherwise 0: a kernel for any number.
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

/// Shared memory of a block: 16 bytes for each point of its packets.
inline std::size_t tile_bytes(int length, int packets) {
  return static_cast<std::size_t>(round_up(length * packets, 8)) * 16;
}

/// The number of threads that share a line in blocks of `packets` packets.
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

}  // namespace whorl::backend::cuda
